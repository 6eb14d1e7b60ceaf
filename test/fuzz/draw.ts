/** Draws the request with a number: the same for the same seed and number, whatever was sent before. */
import { SeededRandom } from '../harness/seeded-random.ts';
import { type DrawnBytes, drawBytes } from './requests/draw-bytes.ts';
import { drawRequest } from './requests/draw-request.ts';
import type { FuzzRequest, Names } from './requests/fuzz-request.ts';
import { messageOf } from './requests/message.ts';
import { type FuzzedOperation, fuzzedOperations, type ProgramName } from './requests/operations.ts';

export type Drawn =
  | { readonly form: 'request'; readonly operation: FuzzedOperation; readonly request: FuzzRequest }
  | {
      readonly form: 'bytes';
      readonly program: ProgramName;
      readonly requests: readonly FuzzRequest[];
      readonly bytes: DrawnBytes;
    };

const bytesShare = 0.2;
/** Password hashing is slow on purpose; it would take up the whole run. */
const slowPaths = /\/auth\/(register|login|reset-password)|\/profile\/password/;

export function draw(seed: number, number: number, names: Names): Drawn {
  // Adjacent seeds start alike unless they are spread.
  const random = new SeededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b));
  // The first requests are one of each operation.
  const first = fuzzedOperations[number - 1];
  if (first !== undefined || !random.chance(bytesShare)) {
    const operation = first ?? drawOperation(random);
    return { form: 'request', operation, request: drawRequest(operation, random) };
  }
  const program = random.pick(['proxy', 'admin'] as const);
  const requests: FuzzRequest[] = [];
  const another = () => {
    const request = drawRequest(drawOperation(random, program), random);
    requests.push(request);
    return messageOf(request, names);
  };
  return { form: 'bytes', program, requests, bytes: drawBytes(another, random) };
}

function drawOperation(random: SeededRandom, program?: ProgramName): FuzzedOperation {
  const operations = fuzzedOperations.filter((operation) => program === undefined || operation.program === program);
  for (;;) {
    const operation = random.pick(operations);
    // The proxy has few operations, which do much.
    const weight = slowPaths.test(operation.path) ? 0.1 : operation.program === 'proxy' ? 1 : 0.4;
    if (random.chance(weight)) return operation;
  }
}
