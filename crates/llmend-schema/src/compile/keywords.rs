//! Table of the keywords of JSON Schema.

/// A keyword.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyword {
    name: &'static str,
    /// Whether it constrains values, rather than being an annotation or an identifier.
    pub(crate) constrains: bool,
    evaluated: Evaluated,
    /// Whether its value is data and contains no schemas.
    is_data: bool,
}

/// Where a keyword is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evaluated {
    /// By the graph of subschemas, if at all.
    InGraph,
    /// By a validator of the local keywords of one subschema, which depend on the instance alone.
    Locally,
    /// By the validator of the whole schema, since it depends on the subschemas around it.
    ByValidator,
}

/// Returns the row of a keyword.
pub(crate) fn keyword(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.name == name)
}

/// Returns whether a member of a schema is a keyword that is evaluated in this way.
pub(crate) fn is_evaluated(name: &str, evaluated: Evaluated) -> bool {
    keyword(name).is_some_and(|keyword| keyword.evaluated == evaluated)
}

/// Returns whether the value of a member of a schema is data and contains no schemas.
pub(crate) fn is_data(name: &str) -> bool {
    keyword(name).is_some_and(|keyword| keyword.is_data)
}

const fn constraint(name: &'static str) -> Keyword {
    Keyword { name, constrains: true, evaluated: Evaluated::InGraph, is_data: false }
}

const fn local(name: &'static str) -> Keyword {
    Keyword { evaluated: Evaluated::Locally, ..constraint(name) }
}

const fn opaque(name: &'static str) -> Keyword {
    Keyword { evaluated: Evaluated::ByValidator, ..constraint(name) }
}

const fn annotation(name: &'static str) -> Keyword {
    Keyword { constrains: false, ..constraint(name) }
}

const fn data(keyword: Keyword) -> Keyword {
    Keyword { is_data: true, ..keyword }
}

/// All keywords, including harmless words of `OpenAPI`.
const KEYWORDS: [Keyword; 70] = [
    constraint("$ref"),
    constraint("$dynamicRef"),
    constraint("$recursiveRef"),
    constraint("$defs"),
    constraint("definitions"),
    constraint("type"),
    data(constraint("enum")),
    data(constraint("const")),
    constraint("allOf"),
    constraint("anyOf"),
    constraint("oneOf"),
    constraint("not"),
    constraint("if"),
    constraint("then"),
    constraint("else"),
    constraint("properties"),
    constraint("patternProperties"),
    constraint("additionalProperties"),
    constraint("propertyNames"),
    opaque("unevaluatedProperties"),
    constraint("required"),
    local("dependentRequired"),
    constraint("dependentSchemas"),
    constraint("dependencies"),
    local("minProperties"),
    local("maxProperties"),
    constraint("items"),
    constraint("prefixItems"),
    constraint("additionalItems"),
    opaque("unevaluatedItems"),
    constraint("contains"),
    constraint("minContains"),
    constraint("maxContains"),
    local("minItems"),
    local("maxItems"),
    local("uniqueItems"),
    local("minLength"),
    local("maxLength"),
    local("pattern"),
    local("format"),
    constraint("minimum"),
    constraint("maximum"),
    constraint("exclusiveMinimum"),
    constraint("exclusiveMaximum"),
    constraint("multipleOf"),
    local("contentMediaType"),
    annotation("$schema"),
    annotation("$id"),
    annotation("id"),
    annotation("$anchor"),
    annotation("$dynamicAnchor"),
    annotation("$recursiveAnchor"),
    annotation("$vocabulary"),
    annotation("$comment"),
    annotation("title"),
    annotation("description"),
    data(annotation("default")),
    data(annotation("example")),
    data(annotation("examples")),
    annotation("deprecated"),
    annotation("readOnly"),
    annotation("writeOnly"),
    Keyword { constrains: false, ..local("contentEncoding") },
    annotation("contentSchema"),
    annotation("nullable"),
    annotation("discriminator"),
    annotation("xml"),
    annotation("externalDocs"),
    annotation("alias"),
    annotation("aliases"),
];
