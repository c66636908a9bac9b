//! Exit statuses and usage errors.

/// The exit status of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: a value was produced.
    Value,
    /// 1: the input was refused.
    Refused,
    /// 2: the command line or a setting is wrong.
    Usage,
    /// 3: reading or writing failed.
    Io,
    /// 130: a person interrupted the command, as shells have it.
    #[cfg(feature = "models")]
    Interrupted,
}

impl Exit {
    /// Returns the number that the operating system gets.
    pub(crate) const fn status(self) -> u8 {
        match self {
            Self::Value => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Io => 3,
            #[cfg(feature = "models")]
            Self::Interrupted => 130,
        }
    }
}

/// A usage error that the argument parser cannot detect, with its message.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl<S: Into<String>> From<S> for UsageError {
    fn from(message: S) -> Self {
        Self(message.into())
    }
}
