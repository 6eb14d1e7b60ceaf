/** `POST /v1/moderations`: a text that has the word “attack” is violent; nothing else is harmful. */
import { isObject } from '../../shared/members.ts';
import { RequestError } from './errors.ts';
import { requireModel } from './models.ts';

const inputsMax = 2_048;

export function moderate(body: unknown): Response {
  if (!isObject(body)) throw new RequestError('The body must be a JSON object.');
  requireModel(body, 'moderation');
  const inputs: unknown[] = Array.isArray(body.input) ? body.input : [body.input];
  if (inputs.length === 0 || inputs.length > inputsMax || inputs.some((input) => input === undefined || input === '')) {
    throw new RequestError(`'input' must be a text, or a list of 1 to ${inputsMax} texts or parts.`, {
      param: 'input',
    });
  }
  const isOfParts = inputs.every(isObject);
  const texts = isOfParts ? [inputs.map(({ text }) => text ?? '').join(' ')] : inputs.map(String);
  const results = texts.map((text) => {
    const violence = /\battack/i.test(text);
    return { flagged: violence, categories: { violence }, category_scores: { violence: violence ? 0.98 : 0.01 } };
  });
  return Response.json({ id: `modr-${crypto.randomUUID()}`, model: 'demo-moderation', results });
}
