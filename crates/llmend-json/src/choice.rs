//! Enums that are read and written by name.

use std::fmt;

/// Defines an enum with its names, and parsing and serialization by name.
#[doc(hidden)]
#[macro_export]
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$of])* #[serde(rename = $text)] $word,)+
        }

        impl $name {
            /// All variants.
            pub const ALL: [Self; [$($text,)+].len()] = [$(Self::$word,)+];

            /// Returns the name that flags and settings use.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownChoice;

            fn from_str(name: &str) -> ::std::result::Result<Self, $crate::UnknownChoice> {
                $crate::UnknownChoice::find(name, &Self::ALL, Self::as_str)
            }
        }
    };
}

/// The error for a name that is not one of the known ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChoice {
    /// The unknown name.
    pub name: String,
    /// The known names.
    pub known: Vec<&'static str>,
}

impl UnknownChoice {
    /// Creates the error for `name`, which is none of the `known` ones.
    #[must_use]
    pub fn new(name: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        Self { name: name.to_owned(), known: known.into_iter().collect() }
    }

    /// Returns the one of `all` that has this name.
    pub fn find<T: Copy>(
        name: &str,
        all: &[T],
        name_of: impl Fn(T) -> &'static str,
    ) -> Result<T, Self> {
        let found = all.iter().copied().find(|one| name_of(*one) == name);
        found.ok_or_else(|| Self::new(name, all.iter().map(|one| name_of(*one))))
    }
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown value `{}`, expected one of: {}", self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownChoice {}

#[cfg(test)]
mod tests {
    use crate::{
        Choice, EmphasisInValues, Guard, Options, Policy, Search, UnknownChoice, WithoutJson,
    };

    #[test]
    fn choices_round_trip_by_name() {
        macro_rules! each {
            ($($name:ident),+) => {$(
                for choice in $name::ALL {
                    assert_eq!(choice.as_str().parse(), Ok(choice));
                    assert_eq!(choice.to_string(), choice.as_str());
                    let kept = serde_json::to_string(&choice).unwrap();
                    assert_eq!(kept, format!("\"{choice}\""));
                    assert_eq!(serde_json::from_str::<$name>(&kept).unwrap(), choice);
                }
            )+};
        }
        each!(Choice, EmphasisInValues, Guard, Search, WithoutJson);
    }

    #[test]
    fn options_round_trip() {
        let mut options = Options::policy(Policy::Conservative);
        options.search = Search::Off;
        options.choice = Choice::First;
        options.emphasis = EmphasisInValues::Strip;
        options.max_closers = usize::MAX;
        options.hints.keys = vec!["é\"".to_owned()];
        options.hints.without_json = WithoutJson::Text;
        let kept = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<Options>(&kept).unwrap(), options, "{kept}");
        let wrong = kept.replace("\"raw-tab\"", "\"no-such-rule\"");
        assert!(serde_json::from_str::<Options>(&wrong).is_err(), "{wrong}");
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        let error: UnknownChoice = "ON".parse::<Search>().unwrap_err();
        assert_eq!(error.to_string(), "unknown value `ON`, expected one of: on, off");
    }
}
