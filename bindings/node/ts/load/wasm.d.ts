declare module "*.wasm" {
  const module: unknown;
  export default module;
}
