//! Writes the JavaScript around a WebAssembly module: `llmend-node-bindgen IN.wasm NAME FOLDER`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::{Bindgen, EncodeInto};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, name, folder] = arguments.as_slice() else {
        eprintln!("usage: llmend-node-bindgen IN.wasm NAME FOLDER");
        return ExitCode::from(2);
    };
    match write(input, name, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("llmend-node-bindgen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(input: &str, name: &str, folder: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(input)
        .out_name(name)
        .web(true)?
        .typescript(true)
        // The loaders find the module, each in its runtime's way.
        .omit_default_module_path(true)
        .encode_into(EncodeInto::Always)
        // After an abort the module is made anew.
        .reset_state_function(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.generate(folder)?;
    Ok(())
}
