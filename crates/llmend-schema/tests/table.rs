//! The table of coercions and its examples.

use llmend_schema::{
    CoercionKind, Emphasis, OnBadItem, OnExtra, Options, Schema, Units, coerce, validate,
};

/// Returns the options that a coercion requires.
fn options(kind: CoercionKind) -> Options {
    let mut options = Options::default();
    match kind {
        CoercionKind::NumberWithUnit => options.units = Units::Strip,
        CoercionKind::Emphasis => options.emphasis = Emphasis::Strip,
        CoercionKind::DroppedExtra => options.on_extra = OnExtra::Drop,
        CoercionKind::DroppedItem => options.on_bad_item = OnBadItem::Drop,
        CoercionKind::NulledItem => options.on_bad_item = OnBadItem::Null,
        _ => {}
    }
    options
}

#[test]
fn every_example_is_correct() {
    for kind in CoercionKind::ALL {
        let (schema, before, after) = kind.example();
        let schema = Schema::from_text(schema).unwrap();
        let parsed = llmend_json::parse(before).unwrap();
        let coerced = coerce(&parsed.value, &schema, &options(*kind));
        assert_eq!(coerced.violations, [], "{}", kind.name());
        assert_eq!(coerced.value.to_string(), after, "{}", kind.name());
        let made: Vec<_> = coerced.coercions.iter().map(|row| row.kind).collect();
        assert_eq!(made, [*kind], "{}", kind.name());
        let row = &coerced.coercions[0];
        assert_eq!(row.class, kind.class(), "{}", kind.name());
        assert!(kind.name().chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        assert!(kind.doc().ends_with('.'), "{}", kind.name());
        // The result fits.
        assert_eq!(validate(&coerced.value, &schema), [], "{}", kind.name());
        let again = coerce(&coerced.value, &schema, &Options::default());
        assert_eq!((again.coercions, again.value), (Vec::new(), coerced.value), "{}", kind.name());
    }
}

#[test]
fn coercions_of_class_loss_require_an_option() {
    for kind in CoercionKind::ALL {
        if options(*kind) == Options::default() {
            assert_ne!(kind.class(), llmend_json::Class::Loss, "{}", kind.name());
            continue;
        }
        let (schema, before, _) = kind.example();
        let schema = Schema::from_text(schema).unwrap();
        let parsed = llmend_json::parse(before).unwrap();
        let coerced = coerce(&parsed.value, &schema, &Options::default());
        assert_eq!(coerced.coercions, [], "{}", kind.name());
        assert_eq!(coerced.value, parsed.value, "{}", kind.name());
        let stands = coerced.violations.is_empty();
        assert_eq!(stands, *kind == CoercionKind::Emphasis, "{}", kind.name());
    }
}
