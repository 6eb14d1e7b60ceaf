/**
 * A model of each kind at one price: 1,000 nano-dollars per prompt token, 500 per cached one, 2,000 per output token,
 * 1,000 per character that is spoken, 100,000 per second that is transcribed, and a million per image.
 */

const shapes = {
  chat: 'contextTokens: 100000, maxOutputTokens: 1000',
  completion: 'contextTokens: 1000, maxOutputTokens: 100',
  embedding: 'contextTokens: 1000',
  image: 'contextTokens: 1000',
  speech: 'contextTokens: 1000',
  transcription: 'contextTokens: 1000',
  moderation: 'contextTokens: 1000',
  rerank: 'contextTokens: 1000',
};
const inputPrice = 'prompt: "1", cachedPrompt: "0.5"';
const prices = {
  chat: `${inputPrice}, cacheWrite: "1.25", completion: "2"`,
  completion: `${inputPrice}, completion: "2"`,
  embedding: inputPrice,
  image: 'images: [{ size: default, quality: default, priceUsd: "0.001" }]',
  speech: 'character: "0.000001"',
  transcription: 'second: "0.0001"',
  moderation: 'prompt: "0"',
  rerank: 'prompt: "1"',
};

type Kind = keyof typeof shapes;

/** An entry of `models`, served by `upstream-<kind>` of the provider `scripted`. */
export const modelOfKind = (kind: Kind, owner = 'test') => `
  - { id: ${owner}/${kind}, kind: ${kind}, ownedBy: ${owner}, ${shapes[kind]},
      price: { ${prices[kind]} },
      deployments: [{ provider: scripted, model: upstream-${kind} }] }`;

export const catalogueOfEachKind = (baseUrl: string, owner?: string) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:${modelOfKind('chat', owner)}${modelOfKind('completion', owner)}${modelOfKind('embedding', owner)}${modelOfKind('image', owner)}${modelOfKind('speech', owner)}${modelOfKind('transcription', owner)}${modelOfKind('moderation', owner)}${modelOfKind('rerank', owner)}
`;
