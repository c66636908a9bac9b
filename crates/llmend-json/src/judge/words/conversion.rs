//! Calls that only convert their argument.

/// The last parts of their names.
const CONVERSIONS: &[&str] = &[
    "ObjectId",
    "ISODate",
    "NumberLong",
    "NumberInt",
    "NumberDecimal",
    "UUID",
    "Symbol",
    "Double",
    "Int32",
    "Long",
    "Decimal",
    "BigInt",
    "Number",
    "String",
    "Date",
    "Timestamp",
    "Some",
    "Ok",
    "Path",
    "PosixPath",
    "WindowsPath",
    "PurePath",
    "PurePosixPath",
    "SecretStr",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "str_",
    "bool_",
    "tensor",
];
/// Returns whether the call `name`, which may have a path or `new` before it, only converts its
/// argument.
pub(crate) fn converts(name: &str) -> bool {
    CONVERSIONS.contains(&last_part(name))
}

/// Returns the last part of a path.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', ' ']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::converts;

    #[test]
    fn conversions() {
        for (name, expected) in [
            ("ObjectId", true),
            ("np.float64", true),
            ("new Date", true),
            ("bson.Decimal", true),
            ("float", false),
            ("update", false),
        ] {
            assert_eq!(converts(name), expected, "{name}");
        }
    }
}
