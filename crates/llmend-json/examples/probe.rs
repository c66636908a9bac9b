//! Prints what becomes of each argument.
fn main() {
    for text in std::env::args().skip(1) {
        match llmend_json::parse(&text) {
            Ok(parsed) => {
                println!("{}", parsed.value);
                println!("  {:?} {:?} {:?}", parsed.report.class, parsed.report.candidate, parsed.report.cut);
                for repair in &parsed.report.repairs {
                    println!("  {} {:?} {:?}", repair.rule, repair.span, repair.replacement);
                }
            }
            Err(error) => println!("{error:?}"),
        }
    }
}
