//! The linker's options for an addon: on macOS, Node has the functions of Node-API, and on Linux, nothing unloads it.

fn main() {
    napi_build::setup();
}
