//! What a small question saves: a thousand simulated failures in long answers.

use llmend::asking::{AskOptions, AttemptRequest, Ladder, SchemaSubject, Strategy};
use llmend::model::{ChatResponse, Output};
use serde_json::{Value, json};

use crate::play;

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "orders": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "name": {"type": "string", "minLength": 3},
                "price": {"type": "number", "minimum": 0},
                "state": {"enum": ["open", "paid", "sent"]},
                "note": {"type": "string"}
            },
            "required": ["id", "name", "price", "state"]
        }}
    },
    "required": ["title", "orders"]
}"#;

/// Chance that is the same every time (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(count).unwrap()).unwrap()
    }
}

/// An answer of about ten kilobytes, as it ought to be.
fn right(chance: &mut Chance) -> Value {
    let states = ["open", "paid", "sent"];
    let orders: Vec<Value> = (0..90)
        .map(|id| {
            let cents = chance.below(100_000);
            json!({
                "id": id,
                "name": format!("Article number {}", chance.below(1_000_000)),
                "price": f64::from(u32::try_from(cents).unwrap()) / 100.0,
                "state": states[chance.below(3)],
                "note": "as agreed on the phone".repeat(1 + chance.below(2)),
            })
        })
        .collect();
    json!({"title": "Orders of the week", "orders": orders})
}

/// The same with one to three fields that nothing but the model can put right.
fn wrong(right: &Value, chance: &mut Chance) -> Value {
    let mut value = right.clone();
    for _ in 0..=chance.below(3) {
        let at = chance.below(90);
        let order = value["orders"][at].as_object_mut().unwrap();
        match chance.below(4) {
            0 => order.insert("price".to_owned(), json!("on request")),
            1 => order.remove("name"),
            2 => order.insert("state".to_owned(), json!("somewhere")),
            _ => order.insert("id".to_owned(), json!([at])),
        };
    }
    value
}

/// Answers the question that is put: with the corrected fields, or with a patch of them.
fn answer(asking: &AttemptRequest, right: &Value, wrong: &Value) -> String {
    let Output::Schema(shape) = &asking.request.output else { panic!("a schema") };
    if asking.strategy == Some(Strategy::Fields) {
        let schema: Value = serde_json::from_str(&shape.schema).unwrap();
        let fields = schema["properties"].as_object().unwrap().keys().map(|name| {
            let path = format!("/{}", name.replace('.', "/"));
            (name.clone(), right.pointer(&path).expect("a known path").clone())
        });
        return Value::Object(fields.collect()).to_string();
    }
    let mut operations = Vec::new();
    for (at, (before, after)) in wrong["orders"]
        .as_array()
        .unwrap()
        .iter()
        .zip(right["orders"].as_array().unwrap())
        .enumerate()
    {
        for (key, value) in after.as_object().unwrap() {
            if before.get(key) != Some(value) {
                let op = if before.get(key).is_some() { "replace" } else { "add" };
                operations
                    .push(json!({"op": op, "path": format!("/orders/{at}/{key}"), "value": value}));
            }
        }
    }
    json!({"plan": ["put right what was found"], "patch": operations}).to_string()
}

fn saved(strategy: Strategy) {
    let subject = SchemaSubject::of_text(SCHEMA).unwrap();
    let options = AskOptions { ladder: Ladder::of([strategy]), ..AskOptions::default() };
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let (mut small, mut whole) = (0, 0);
    for number in 0..1_000 {
        let right = right(&mut chance);
        let wrong = wrong(&right, &mut chance);
        let text = wrong.to_string();
        assert!((8_000..16_000).contains(&text.len()), "{}", text.len());
        let played = play(&subject, options.clone(), |asking| {
            let text =
                if asking.number == 1 { text.clone() } else { answer(asking, &right, &wrong) };
            Ok(ChatResponse::of_text(text))
        });
        if right == wrong {
            continue;
        }
        assert_eq!(played.strategies(), ["-", strategy.as_str()], "{number}");
        let value: Value = serde_json::from_str(&played.done().answer).unwrap();
        assert_eq!(value, right, "{number}");
        small += played.done().ledger.attempts[1].answer_bytes;
        whole += right.to_string().len();
    }
    assert!(small * 100 <= whole * 15, "{strategy}: {small} of {whole} bytes");
    println!("{strategy}: {small} of {whole} bytes");
}

#[test]
fn fields_cost_a_fraction_of_the_whole() {
    saved(Strategy::Fields);
}

#[test]
fn a_patch_costs_a_fraction_of_the_whole() {
    saved(Strategy::Patch);
}
