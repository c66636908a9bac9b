//! What the streams of a value have in common.

macro_rules! events {
    ($export:ident, $class:ident) => {
        #[$export]
        impl $class {
            #[$export]
            pub fn push(&mut self, piece: String) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.push(piece.as_bytes())))
            }

            #[$export(js_name = "pushBytes")]
            pub fn push_bytes(&mut self, piece: &[u8]) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.push(piece)))
            }

            #[$export]
            pub fn finish(&mut self) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.finish()))
            }

            #[$export(js_name = "takeText")]
            pub fn take_text(&mut self) -> Made {
                made(self.inner.take_text())
            }
        }
    };
}
pub(crate) use events;
