//! Calls whose arguments are JSON.

use super::super::{Call, values};
use super::Pen;
use crate::data::Data;

impl Pen<'_> {
    pub(super) fn envelope_of(&mut self, call: &Call, name: &str, arguments: &str) -> Data {
        let given = Data::Map(call.arguments.clone());
        if name.is_empty() {
            return Data::Map(vec![(call.name.clone(), given)]);
        }
        let mut members =
            vec![(name.to_owned(), Data::text(call.name.as_str())), (arguments.to_owned(), given)];
        match self.answer.notation {
            "command-r7b" => members.insert(0, ("tool_call_id".to_owned(), Data::text("0"))),
            "mistral" if self.r.chance(50) => {
                members.push(("id".to_owned(), Data::text("a1B2c3D4e")));
            }
            "llama-json" if self.r.chance(20) => {
                members.insert(0, ("type".to_owned(), Data::text("function")));
            }
            _ => {}
        }
        Data::Map(members)
    }

    pub(super) fn json_group(
        &mut self,
        calls: &[Call],
        [open, close, name, arguments]: [&str; 4],
        list: bool,
    ) {
        let objects: Vec<Data> =
            calls.iter().map(|call| self.envelope_of(call, name, arguments)).collect();
        let python = self.answer.notation == "sarashina";
        if list {
            self.open(open);
            let value = Data::List(objects);
            if python {
                let text = values::python(&value, &mut self.r);
                for _ in calls {
                    self.begin();
                }
                self.code(&text);
                self.done();
            } else {
                self.json_of(&value, calls);
            }
            self.close(close);
            return;
        }
        let together = self.answer.notation == "llama-json";
        for (at, object) in objects.iter().enumerate() {
            if at == 0 || !together {
                self.put(if at > 0 { "\n" } else { "" });
                self.open(open);
            } else {
                self.put("; ");
            }
            self.json_of(object, &calls[at..=at]);
            if at + 1 == objects.len() || !together {
                self.close(close);
            }
        }
    }

    pub(super) fn bare_json(&mut self, calls: &[Call]) {
        let objects: Vec<Data> =
            calls.iter().map(|call| self.envelope_of(call, "name", "arguments")).collect();
        let fence = self.r.chance(40);
        if fence {
            let word = self.r.pick(&["```json\n", "```\n", "```tool_call\n"]);
            self.open(word);
        }
        match <[Data; 1]>::try_from(objects) {
            Ok([one]) => self.json_of(&one, calls),
            Err(all) => self.json_of(&Data::List(all), calls),
        }
        if fence {
            self.close("\n```");
        }
    }

    pub(super) fn envelope(&mut self, calls: &[Call]) {
        let map = |members: Vec<(&str, Data)>| {
            Data::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        };
        let name = |call: &Call| Data::text(call.name.as_str());
        let given = |call: &Call| Data::Map(call.arguments.clone());
        let one = |call: &Call| match self.answer.notation {
            "openai" => map(vec![
                ("id", Data::text("call_1")),
                ("type", Data::text("function")),
                (
                    "function",
                    map(vec![("name", name(call)), ("arguments", Data::Text(given(call).write()))]),
                ),
            ]),
            "mcp" => map(vec![
                ("jsonrpc", Data::text("2.0")),
                ("id", Data::number(1)),
                ("method", Data::text("tools/call")),
                ("params", map(vec![("name", name(call)), ("arguments", given(call))])),
            ]),
            "anthropic" => map(vec![
                ("type", Data::text("tool_use")),
                ("id", Data::text("toolu_1")),
                ("name", name(call)),
                ("input", given(call)),
            ]),
            _ => {
                map(vec![("functionCall", map(vec![("name", name(call)), ("args", given(call))]))])
            }
        };
        let mut all: Vec<Data> = calls.iter().map(one).collect();
        let value = match self.answer.notation {
            "openai" => map(vec![("tool_calls", Data::List(all))]),
            _ if all.len() == 1 => all.remove(0),
            _ => Data::List(all),
        };
        self.json_of(&value, calls);
    }

    pub(super) fn named_group(&mut self, calls: &[Call], marks: [&str; 6]) {
        let [open, close, before, middle, after, between] = marks;
        let old = self.answer.notation == "deepseek" && self.r.chance(40);
        self.open(open);
        for (at, call) in calls.iter().enumerate() {
            if at > 0 {
                self.put(if old { "\n" } else { between });
            }
            self.open(before);
            if old {
                self.open("function<｜tool▁sep｜>");
            }
            self.name(&call.name);
            self.open(if old { "\n```json\n" } else { middle });
            self.json(&Data::Map(call.arguments.clone()));
            self.close(if old { "\n```" } else { "" });
            self.done();
            self.close(after);
        }
        self.close(close);
    }

    pub(super) fn inkling(&mut self, calls: &[Call]) {
        for call in calls {
            self.open("<|message_model|>");
            self.name(&call.name);
            self.open("<|content_invoke_tool_json|>");
            let value = self.envelope_of(call, "name", "args");
            self.json(&value);
            self.done();
            self.close("<|end_message|>");
        }
    }
}
