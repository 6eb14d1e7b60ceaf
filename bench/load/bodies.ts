/** The requests of the scenarios: each names the script that the upstream responds with. */

const question = 'Why does the quick brown fox jump over the lazy dog? Answer in two short sentences.';

export function chatBody(script: string, options: { stream?: boolean; promptBytes?: number | undefined } = {}): string {
  const content = options.promptBytes === undefined ? question : question.padEnd(options.promptBytes, ` ${question}`);
  return JSON.stringify({
    model: `bench/${script}`,
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content },
    ],
    max_tokens: 256,
    temperature: 0.7,
    ...(options.stream && { stream: true }),
  });
}

export function isStreamed(body: string): boolean {
  return body.includes('"stream":true');
}
