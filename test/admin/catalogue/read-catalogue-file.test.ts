/** An invalid catalogue file changes nothing, and every mistake in it is named. */
import { expect, test } from 'bun:test';
import { readLocated } from '../../../admin/catalogue/locate-problems.ts';
import { readCatalogueFile } from '../../../admin/catalogue/read-catalogue-file.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';

const good = testCatalogue('http://127.0.0.1:9/v1');

function problems(yaml: string): readonly string[] {
  const reading = readCatalogueFile(yaml);
  return reading.ok ? [] : reading.problems;
}

test('a valid file is read as it is written', () => {
  const reading = readCatalogueFile(good);
  expect(reading.ok && reading.file.models.map(({ id }) => id)).toEqual([
    'test/chat',
    'test/priced-output',
    'test/failover',
  ]);
});

test('every mistake is named with its place', () => {
  const bad = good
    .replace('protocol: openai', 'protocol: telepathy')
    .replace('"0.50"', '0.5')
    .replace('contextTokens: 32768', 'contextTokens: -1')
    .replace('ownedBy: test', 'ownedBy: test\n    colour: blue');
  expect([...problems(bad)].sort()).toEqual([
    'models[0].colour is not a known field',
    'models[0].contextTokens: expected a whole number of at least 1',
    'models[0].price.prompt: expected USD per 1M tokens as a quoted decimal with at most 6 decimals, such as "0.15"',
    'providers[0].protocol: expected one of openai, openai-responses, anthropic, gemini, bedrock, cohere',
  ]);
});

test("a provider's timeouts are whole milliseconds, and all are optional", () => {
  const withTimeouts = (timeouts: string) =>
    problems(good.replace('protocol: openai', `protocol: openai, timeouts: ${timeouts}`));
  expect(withTimeouts('{ headersMs: 500, idleMs: 1000, totalMs: 60000 }')).toEqual([]);
  expect(withTimeouts('{}')).toEqual([]);
  expect(withTimeouts('{ headersMs: 0, idleMs: "1s", connectMs: 5 }')).toEqual([
    'providers[0].timeouts.connectMs is not a known field',
    'providers[0].timeouts.headersMs: expected milliseconds, at most an hour',
    'providers[0].timeouts.idleMs: expected milliseconds, at most an hour',
  ]);
});

test('references, duplicates and missing prices in a file are checked too', () => {
  expect(problems(good.replace('id: test/failover', 'id: test/chat'))).toEqual([
    'model test/chat is defined more than once',
  ]);
  expect(problems(good.replace('provider: scripted, model: upstream-chat', 'provider: nobody, model: x'))).toEqual([
    'model test/chat: there is no provider nobody',
  ]);
  expect(problems(good.replace(', completion: "10"', ''))).toEqual([
    'model test/priced-output: price.completion is missing',
  ]);
});

test('a second list of models or providers is a mistake, not a replacement of the first', () => {
  const models = good.slice(good.indexOf('models:'));
  const line = good.split('\n').length;
  expect(good).toEndWith('\n');
  expect(problems(good + models)).toEqual([`line ${line}: models appears twice in one mapping`]);
  expect(problems(good.replace('protocol: openai', 'protocol: openai, protocol: gemini'))).toEqual([
    expect.stringMatching(/^line \d+: protocol appears twice in one mapping$/),
  ]);
});

test('a file that is not YAML, or not an object, is reported as such', () => {
  expect(problems('a: [')[0]).toStartWith('The file is not YAML');
  expect(problems('')).toHaveLength(1);
  expect(problems('just text')[0]).toStartWith('the file: expected');
});

test('loopback and private addresses are allowed, link-local and metadata addresses are not', () => {
  for (const host of ['127.0.0.1:1', 'localhost', '10.0.0.1', '192.168.1.1', '[::1]:80', 'models.example.com']) {
    expect([host, problems(testCatalogue(`http://${host}/v1`))]).toEqual([host, []]);
  }
  const refused = [
    '169.254.169.254',
    '[fe80::1]',
    '[::ffff:169.254.169.254]',
    'metadata.google.internal',
    '2852039166',
    '[fd00:ec2::254]',
  ];
  for (const host of refused) {
    expect([host, problems(testCatalogue(`http://${host}/v1`))]).toEqual([
      host,
      ['provider scripted: link-local and metadata addresses are refused'],
    ]);
  }
});

test('a token exchange needs a key and a scope, and a certificate file an absolute path', () => {
  const provider = 'id: scripted, protocol: openai,';
  const withAuth = (auth: string, more = 'apiKeyEnv: GIGACHAT_API_KEY,') =>
    problems(good.replace(provider, `${provider} ${more} auth: ${auth},`));
  expect(withAuth('{ type: oauth, scope: GIGACHAT_API_PERS }')).toEqual([]);
  expect(withAuth('{ type: oauth, scope: s, tokenUrl: "https://127.0.0.1:9443/oauth" }')).toEqual([]);
  expect(withAuth('{ type: oauth, scope: s }', '')).toEqual([
    'provider scripted: auth needs apiKeyEnv, the key that is exchanged for the token',
  ]);
  expect(withAuth('{ type: oauth, scope: s, tokenUrl: "http://169.254.169.254/" }')).toEqual([
    'provider scripted: link-local and metadata addresses are refused',
  ]);
  expect(withAuth('{ type: saml, scope: s }')).toEqual(['providers[0].auth.type: expected oauth']);
  expect(withAuth('{ type: oauth }')).toEqual(['providers[0].auth.scope is missing']);
  expect(problems(good.replace(provider, `${provider} caFile: /etc/ssl/root.pem,`))).toEqual([]);
  expect(problems(good.replace(provider, `${provider} caFile: root.pem,`))).toEqual([
    "providers[0].caFile: expected the absolute path of a PEM file of the proxy's",
  ]);
});

test('a provider names only a variable that is meant for providers', () => {
  const withKey = (variable: string) => good.replace('protocol: openai,', `protocol: openai, apiKeyEnv: ${variable},`);
  expect(problems(withKey('OPENAI_API_KEY'))).toEqual([]);
  for (const variable of ['KEY_PEPPER', 'REDIS_URL', 'JWT_SECRET', 'DATABASE_URL', 'METRICS_TOKEN', 'SMTP_URL_FILE'])
    expect(problems(withKey(variable))).toEqual([
      `provider scripted: apiKeyEnv ${variable} is one of the gateway's own variables`,
    ]);
  expect(problems(withKey('OPENAI_API_KEY_FILE'))).toEqual([
    'provider scripted: apiKeyEnv OPENAI_API_KEY_FILE holds the path of a secret, not a key',
  ]);
  expect(problems(withKey('OPENAI_TOKEN'))).toEqual([
    'provider scripted: apiKeyEnv OPENAI_TOKEN neither ends in _API_KEY nor is listed in PROVIDER_KEYS',
  ]);
  expect(readCatalogueFile(withKey('OPENAI_TOKEN'), new Set(['OPENAI_TOKEN'])).ok).toBe(true);
});

test('a provider whose requests are signed names its region and variables that are meant for providers', () => {
  const aws = '{ region: eu-central-1, accessKeyIdEnv: AWS_ID, secretAccessKeyEnv: AWS_SECRET }';
  const withAws = (of: string, protocol = 'bedrock', more = '') =>
    good.replace('protocol: openai,', `protocol: ${protocol}, ${more} aws: ${of},`);
  const listed = new Set(['AWS_ID', 'AWS_SECRET']);
  expect(readCatalogueFile(withAws(aws), listed).ok).toBe(true);
  expect(problems(withAws(aws))).toEqual([
    'provider scripted: accessKeyIdEnv AWS_ID neither ends in _API_KEY nor is listed in PROVIDER_KEYS',
    'provider scripted: secretAccessKeyEnv AWS_SECRET neither ends in _API_KEY nor is listed in PROVIDER_KEYS',
  ]);
  const own = aws.replace('AWS_ID', 'A_API_KEY').replace('AWS_SECRET', 'B_API_KEY');
  expect(problems(withAws(own))).toEqual([]);
  expect(problems(withAws(own.replace('}', ', sessionTokenEnv: JWT_SECRET }')))).toEqual([
    "provider scripted: sessionTokenEnv JWT_SECRET is one of the gateway's own variables",
  ]);
  expect(problems(withAws(own, 'openai'))).toEqual(['provider scripted: aws is for the protocol bedrock only']);
  expect(problems(withAws(own, 'bedrock', 'apiKeyEnv: C_API_KEY,'))).toEqual([
    'provider scripted: aws excludes apiKeyEnv and auth; a request is signed, or carries a key',
  ]);
  expect(problems(withAws('{ accessKeyIdEnv: a, secretAccessKeyEnv: B_API_KEY }'))).toEqual([
    'providers[0].aws.region is missing',
    'providers[0].aws.accessKeyIdEnv: expected the name of a variable, such as OPENAI_API_KEY',
  ]);
});

test('quirks are checked by name and by value', () => {
  const withQuirks = (quirks: string) =>
    problems(good.replace('protocol: openai,', `protocol: openai, quirks: ${quirks},`));
  const known = [
    '{ seedParameter: random_seed, toolChoiceRequired: any, toolCallIds: alphanumeric9, streamUsage: false }',
    '{ authHeader: api-key, query: { api-version: "2024-10-21" }, paths: { chat: "/deployments/{model}/chat/completions" } }',
    '{ modelPrefix: "gpt://folder/", authScheme: Api-Key, headers: { x-title: Gateway } }',
    '{ developerRole: system, reasoningContent: required, reasoningParameter: none, cachedTokensField: cached }',
    '{ dropParameters: [logit_bias], refuseParameters: [logprobs], outputCapParameter: max_completion_tokens }',
    '{ allowParameters: [chat_template], documentEngine: native }',
  ];
  for (const quirks of known) expect([quirks, withQuirks(quirks)]).toEqual([quirks, []]);
  const unknown: [string, string][] = [
    ['{ seedParametr: x }', 'providers[0].quirks.seedParametr is not a known field'],
    ['{ headers: { authorization: x } }', 'providers[0].quirks.headers.authorization is not a known field'],
    ['{ headers: { X-Title: x } }', 'providers[0].quirks.headers.X-Title is not a known field'],
    ['{ paths: { images: /x } }', 'providers[0].quirks.paths.images is not a known field'],
    ['{ developerRole: user }', 'providers[0].quirks.developerRole: expected developer or system'],
    ['{ documentEngine: mistral-ocr }', 'providers[0].quirks.documentEngine: expected native or cloudflare-ai'],
    ['{ streamUsage: no way }', 'providers[0].quirks.streamUsage: expected true or false'],
    ['{ dropParameters: logit_bias }', 'providers[0].quirks.dropParameters: expected a list of parameters'],
  ];
  for (const [quirks, problem] of unknown) expect(withQuirks(quirks)).toEqual([problem]);
});

test('every provider in the documentation is valid', async () => {
  const documents = await Promise.all(['docs/catalogue.md', 'local/providers.md'].map((path) => Bun.file(path).text()));
  const blocks = [...documents.join('\n').matchAll(/```yaml\n(providers:\n[\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
  expect(blocks.length).toBeGreaterThanOrEqual(3);
  for (const yaml of blocks) {
    const models = good.slice(good.indexOf('models:')).replaceAll('provider: scripted', 'provider: some');
    const provider = '\n  - { id: some, protocol: openai, baseUrl: "http://127.0.0.1:9/v1" }\n';
    const [providers = '', own = models.slice('models:'.length)] = yaml.split('models:');
    // Listed in PROVIDER_KEYS, as the documentation says.
    const listed = new Set(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']);
    expect(readCatalogueFile(`${providers}${provider}models:${own}`, listed)).toMatchObject({ ok: true });
  }
});

const imageModel = (change: (text: string) => string = (text) => text) =>
  problems(
    good +
      change(
        `  - id: test/image
    kind: image
    ownedBy: test
    contextTokens: 8000
    price: { images: [{ size: 1024x1024, quality: high, priceUsd: "0.167" }, { size: default, quality: default, priceUsd: "1" }] }
    deployments: [{ provider: scripted, model: upstream-image }]
`,
      ),
  );

test('an image model has a price for each size and quality, and for no tokens except the prompt', () => {
  expect(imageModel()).toEqual([]);
  expect(imageModel((text) => text.replace(/price:.*/, 'price: {}'))).toEqual([
    'model test/image: price.images is missing',
  ]);
  expect(imageModel((text) => text.replace('price: {', 'price: { prompt: "1",'))).toEqual([]);
  expect(imageModel((text) => text.replace('price: {', 'price: { completion: "1",'))).toEqual([
    'model test/image: price.completion is not charged for images',
  ]);
  expect(
    imageModel((text) => text.replace('size: default, quality: default', 'size: 1024x1024, quality: high')),
  ).toEqual(['model test/image: price.images has 1024x1024/high more than once']);
  expect(imageModel((text) => text.replace('"0.167"', '0.167').replace('size: default', 'size: large'))).toEqual([
    'models[3].price.images[0].priceUsd: expected USD per image as a quoted decimal with at most 9 decimals, such as "0.042"',
    'models[3].price.images[1].size: expected a size such as 1024x1024, or default for all others',
  ]);
  expect(imageModel((text) => text.replace('kind: image', 'kind: embedding'))).toEqual([
    'model test/image: price.prompt is missing',
    'model test/image: price.images is for models of the kind image, not embedding',
  ]);
});

test('a price is for what its kind of model is charged for and its protocol can ask for', () => {
  const chatModel = (price: string, protocol: string) => {
    const reading = readLocated(
      `
providers:
  - { id: some, protocol: ${protocol}, baseUrl: "https://provider.test/v1" }
models:
  - id: test/chat
    kind: chat
    ownedBy: test
    contextTokens: 8000
    maxOutputTokens: 1000
    price:
      prompt: "1"
      completion: "2"
      ${price}
    deployments: [{ provider: some, model: upstream }]
`,
      new Set(),
    );
    return reading.ok ? [] : reading.problems.map(({ line, message }) => [line, message]);
  };
  for (const protocol of ['openai', 'anthropic']) {
    expect(chatModel('imagePrompt: "1"', protocol)).toEqual([
      [13, 'model test/chat: price.imagePrompt is not charged for chat'],
    ]);
  }
  const everywhere = (price: string) =>
    `steps: [{ above: 100, prompt: "1", ${price} }]
      tiers: { flex: { prompt: "1", completion: "2", ${price}, steps: [{ above: 100, ${price} }] } }`;
  const places = [
    [13, 'price.steps[0]'],
    [14, 'price.tiers.flex'],
    [14, 'price.tiers.flex.steps[0]'],
  ] as const;
  expect(chatModel(everywhere('imagePrompt: "1"'), 'openai')).toEqual(
    places.map(([line, place]) => [line, `model test/chat: ${place}.imagePrompt is not charged for chat`]),
  );
  expect(chatModel(everywhere('audioCompletion: "3"'), 'openai')).toEqual([]);
  expect(chatModel(everywhere('cacheWrite1h: "3"'), 'openai')).toEqual(
    places.map(([line, place]) => [
      line,
      `model test/chat: ${place}.cacheWrite1h is not for some, which speaks openai`,
    ]),
  );
  expect(chatModel('audioCompletion: "3"', 'openai')).toEqual([]);
  expect(chatModel('audioCompletion: "3"', 'anthropic')).toEqual([
    [13, 'model test/chat: price.audioCompletion is not for some, which speaks anthropic'],
  ]);
  expect(chatModel('cacheWrite1h: "3"', 'anthropic')).toEqual([]);
  expect(chatModel('cacheWrite1h: "3"', 'openai')).toEqual([
    [13, 'model test/chat: price.cacheWrite1h is not for some, which speaks openai'],
  ]);
});

const speechModel = (price: string, more = '') =>
  problems(`${good}  - id: test/speech
    kind: speech
    ownedBy: test
    contextTokens: 8000
    price: { ${price} }${more}
    deployments: [{ provider: scripted, model: upstream-speech }]
`);

test('a speech model is paid by the character, or by the tokens of text and audio', () => {
  const ofTokens = 'prompt: "0.6", completion: "12"';
  expect(speechModel('character: "0.000015"')).toEqual([]);
  expect(speechModel('character: "0.000015", request: "0.001"')).toEqual([]);
  expect(speechModel(ofTokens, '\n    maxOutputTokens: 4000')).toEqual([]);
  expect(speechModel('request: "0.001"', '\n    maxOutputTokens: 4000')).toEqual([
    'model test/speech: price.prompt is missing',
    'model test/speech: price.character is missing',
  ]);
  expect(speechModel(ofTokens)).toEqual(['model test/speech: maxOutputTokens is missing']);
  expect(speechModel(`character: "0.000015", ${ofTokens}`)).toEqual([
    'model test/speech: price.prompt is not charged for speech that has price.character',
    'model test/speech: price.completion is not charged for speech that has price.character',
  ]);
  expect(speechModel(`${ofTokens}, cachedPrompt: "0.1"`, '\n    maxOutputTokens: 4000')).toEqual([
    'model test/speech: price.cachedPrompt is not charged for speech',
  ]);
  expect(speechModel('character: "15.0000000001"')).toEqual([
    'models[3].price.character: expected USD per character as a quoted decimal with at most 9 decimals, such as "0.042"',
  ]);
  expect(speechModel('character: "0.000015", steps: [{ above: 100, prompt: "1" }]').at(0)).toBe(
    'model test/speech: price.steps is not for models of the kind speech',
  );
  expect(imageModel((text) => text.replace('price: {', 'price: { character: "1",'))).toEqual([
    'model test/image: price.character is for models of the kind speech, not image',
  ]);
});

test('a transcription model is paid by the second, or by the tokens of audio and text', () => {
  const asTranscription = (price: string, more = '') =>
    problems(`${good}  - id: test/listener
    kind: transcription
    ownedBy: test
    contextTokens: 8000
    price: { ${price} }${more}
    deployments: [{ provider: scripted, model: upstream-listener }]
`);
  expect(asTranscription('second: "0.0001"')).toEqual([]);
  expect(asTranscription('prompt: "6", completion: "10"', '\n    maxOutputTokens: 2000')).toEqual([]);
  expect(asTranscription('prompt: "6"', '\n    maxOutputTokens: 2000')).toEqual([
    'model test/listener: price.second is missing',
  ]);
  expect(asTranscription('second: "0.0001", prompt: "6"')).toEqual([
    'model test/listener: price.prompt is not charged for transcription that has price.second',
  ]);
  expect(asTranscription('second: "0.0001", character: "0.1"')).toEqual([
    'model test/listener: price.character is for models of the kind speech, not transcription',
  ]);
  expect(speechModel('second: "0.1", character: "0.1"')).toEqual([
    'model test/speech: price.second is for models of the kind transcription, not speech',
  ]);
});

test.each<readonly [string, readonly string[]]>([
  ['"2030-06-30"', []],
  ['"2030-02-30"', ['model test/image: retiresAt 2030-02-30 is not a day']],
  ['"soon"', ['models[3].retiresAt: expected a quoted day such as "2030-06-30"']],
])('a model that retiresAt %s has these problems: %j', (day, problems) => {
  expect(imageModel((text) => text.replace('kind: image', `kind: image\n    retiresAt: ${day}`))).toEqual([
    ...problems,
  ]);
});

test('a price must fit the column that holds it, with its markup', () => {
  const priced = (price: string, markup: string) =>
    problems(good.replace('"0.50"', `"${price}"`).replace('ownedBy: test', `ownedBy: test\n    markup: "${markup}"`));
  expect(priced('999999999', '9223')).toEqual([]);
  expect(priced('999999999', '9224')).toEqual([
    'model test/chat: price.prompt is too high: with the markup it is 9 million USD or more',
  ]);
  const image = (usd: string, markup: string) =>
    imageModel((text) =>
      text
        .replace(/priceUsd: "[^"]*"/, `priceUsd: "${usd}"`)
        .replace('kind: image', `kind: image\n    markup: "${markup}"`),
    );
  expect(image('999999', '9')).toEqual([]);
  expect(image('999999', '10')).toEqual([
    'model test/image: price.images[0].priceUsd is too high: with the markup it is 9 million USD or more',
  ]);
});

test('a chat says what it takes besides text, and no other model does', () => {
  const taking = (kind: string, modalities: string) =>
    imageModel((text) => text.replace('kind: image', `kind: ${kind}\n    inputModalities: ${modalities}`));
  expect(taking('image', '[text, image]')).toEqual([
    'model test/image: inputModalities is for models of the kind chat, not image',
  ]);
  expect(taking('chat', '[image]')).toContain('model test/image: inputModalities has to include text');
  expect(taking('chat', '[text, image, image]')).toContain(
    'model test/image: inputModalities names one more than once',
  );
  expect(taking('chat', '[text, smell]')).toEqual([
    'models[3].inputModalities[1]: expected one of text, image, file, audio, video',
  ]);
});

test('only embeddings have dimensions', () => {
  expect(imageModel((text) => text.replace('kind: image', 'kind: image\n    dimensions: 3072'))).toEqual([
    'model test/image: dimensions is for models of the kind embedding, not image',
  ]);
});

test('a model needs providers whose protocol serves its kind', () => {
  const other = (protocol: string) =>
    good.replace('models:', `  - { id: other, protocol: ${protocol}, baseUrl: "http://127.0.0.1:9" }\nmodels:`);
  const model = (
    kind: string,
    price: string,
  ) => `  - { id: test/other, kind: ${kind}, ownedBy: test, contextTokens: 8000,
      price: ${price}, deployments: [{ provider: other, model: upstream }] }\n`;
  expect(
    problems(`${other('gemini')}${model('image', '{ images: [{ size: default, quality: default, priceUsd: "1" }] }')}`),
  ).toEqual(['model test/other: other speaks gemini, which serves no models of the kind image']);
  expect(problems(`${other('anthropic')}${model('embedding', '{ prompt: "1" }')}`)).toEqual([
    'model test/other: other speaks anthropic, which serves no models of the kind embedding',
  ]);
  expect(problems(`${other('gemini')}${model('embedding', '{ prompt: "1" }')}`)).toEqual([]);
});
