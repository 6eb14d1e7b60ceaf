/** What contenders are asked for while they are profiled. */
import { chatBody } from '../load/bodies.ts';

export const loads = {
  json: { body: chatBody('whole'), mode: { kind: 'closed', connections: 64 }, warmUpMs: 500 },
  stream: {
    body: chatBody('paced-10ms', { stream: true }),
    mode: { kind: 'closed', connections: 100 },
    warmUpMs: 1_500,
  },
  large: {
    body: chatBody('whole', { promptBytes: 100_000 }),
    mode: { kind: 'closed', connections: 16 },
    warmUpMs: 500,
  },
} as const;

export const loadNames = Object.keys(loads).join(' or ');

export function isLoad(given: string): given is keyof typeof loads {
  return given in loads;
}
