/**
 * Reads every body as a JSON object, whatever its content type says, within the size limit. No body is an empty
 * object, so that what is missing is named.
 */
import { Elysia } from 'elysia';
import { parseJsonObject } from '../../shared/http/parse-json-object.ts';
import { readBody } from '../../shared/http/read-body.ts';

export const jsonBodies = (bodyMaxBytes: number) =>
  new Elysia({ name: 'json-bodies' }).onParse({ as: 'global' }, async ({ request }) => {
    const text = await readBody(request, bodyMaxBytes);
    return text.trim() === '' ? {} : parseJsonObject(text);
  });
