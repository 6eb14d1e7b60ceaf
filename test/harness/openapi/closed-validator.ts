/**
 * Validates values against the schemas of an OpenAPI 3.1 document as if all objects were closed: an undocumented member
 * is a problem, because its meaning would be unknown.
 */
import Ajv from 'ajv/dist/2020.js';

export function closedValidator(document: object) {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'document', ...Object(closed(document)) });
  return {
    /** `reference` is a `$ref` within the document. Empty if the value is valid. */
    problems(reference: string, value: unknown): string[] {
      if (ajv.validate(`document${reference}`, value)) return [];
      return (ajv.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
}

/** Objects without named members stay open: the document says nothing about their content. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isSchemaOfMembers = inside.type === 'object' && 'properties' in inside && !('additionalProperties' in inside);
  return isSchemaOfMembers ? { ...inside, additionalProperties: false } : inside;
}
