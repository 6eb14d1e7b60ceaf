/** Lua files are imported as text. */
declare module '*.lua' {
  const source: string;
  export default source;
}
