/** The error answers of an endpoint: one response a status, with an example for each code that it may carry. */
import { type ErrorCode, errorRegistry } from '../../shared/errors.ts';

export function describeErrors(codes: readonly ErrorCode[]): Record<string, unknown> {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorRegistry[code].status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [String(status), describeStatus(group)]));
}

function describeStatus(codes: readonly ErrorCode[]) {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorRegistry[code].meaning}`).join('\n\n'),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode) {
  const { type, meaning } = errorRegistry[code];
  return { error: { message: meaning, type, code, param: null } };
}
