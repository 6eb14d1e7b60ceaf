/**
 * Validates values against the schemas of an OpenAPI 3.1 document as if all objects were closed: an undocumented member
 * is a problem, because its meaning would be unknown.
 */
import Ajv from 'ajv/dist/2020.js';

export function closedValidator(document: object) {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const closedDocument = closed(document);
  ajv.addSchema({ $id: 'document', ...Object(closedDocument) });
  const sameOf = firstOfSame(closedDocument);
  return {
    /** `reference` is a `$ref` within the document. Empty if the value is valid. */
    problems(reference: string, value: unknown): string[] {
      if (ajv.validate(`document${sameOf(reference)}`, value)) return [];
      return (ajv.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
}

/** The first reference to the same schema: compiling one takes milliseconds, and most errors have the same. */
function firstOfSame(document: unknown): (reference: string) => string {
  const known = new Map<string, string>();
  const byText = new Map<string, string>();
  return (reference) => {
    const found = known.get(reference);
    if (found !== undefined) return found;
    const text = JSON.stringify(schemaAt(document, reference));
    const first = byText.get(text) ?? reference;
    byText.set(text, first);
    known.set(reference, first);
    return first;
  };
}

function schemaAt(document: unknown, reference: string): unknown {
  const steps = reference.split('/').slice(1);
  return steps.reduce(
    (at, step) => Object(at)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
}

/** Objects without named members stay open: the document says nothing about their content. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isSchemaOfMembers = inside.type === 'object' && 'properties' in inside && !('additionalProperties' in inside);
  return isSchemaOfMembers ? { ...inside, additionalProperties: false } : inside;
}
