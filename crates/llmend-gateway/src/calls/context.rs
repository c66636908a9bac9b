//! What the calls in the texts of a response are read with.

use crate::calls::ids::CallIds;
use crate::protocol::request::OutputRequest;
use crate::repair::RepairOptions;

/// What the calls in the texts of a response are read with.
#[derive(Clone, Debug)]
pub(crate) struct ConvertContext<'a> {
    pub(crate) request: &'a OutputRequest,
    pub(crate) options: RepairOptions,
    pub(crate) ids: CallIds,
}
