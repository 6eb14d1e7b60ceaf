/** Bun gives the path of the file, also in a program that was compiled into one. */
declare module '*.tiktoken' {
  const path: string;
  export default path;
}
