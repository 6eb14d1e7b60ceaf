/** The shapes of the API's responses, from its document. */
import type { paths } from '../generated/api.ts';

type ReadPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { 'application/json': unknown } } } };
  }
    ? Path
    : never;
}[keyof paths];

/** What `GET` of the path answers. */
export type Answer<Path extends ReadPath> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;
