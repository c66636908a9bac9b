//! Which problems can a plan have? Their stable codes.

/// A field that the dialect requires is not there.
pub const MISSING_FIELD: &str = "plan/missing-field";

/// A field that the dialect does not know: refused where it forbids those, and where the name is
/// a near miss of a field that is absent; kept as metadata otherwise, with a warning.
pub const UNKNOWN_FIELD: &str = "plan/unknown-field";

/// A field, or the plan itself, is of another type than the dialect says.
pub const WRONG_TYPE: &str = "plan/wrong-type";

/// The text holds several documents where one plan is wanted. Only who knows how the value was come
/// by can tell; from the value alone it is an array, and so of the wrong type.
pub const SEVERAL_DOCUMENTS: &str = "plan/several-documents";

/// There are no steps, though the dialect wants at least one.
pub const EMPTY: &str = "plan/empty";

/// Something within `inputs` or metadata that the plan cannot carry as it was written: a number's
/// text, an earlier value of a key that stands twice, the order of keys, depth.
pub const NOT_CARRIED: &str = "plan/not-carried";

/// The workflow says something that a plan cannot say.
pub const NOT_A_PLAN: &str = "workflow/not-a-plan";
