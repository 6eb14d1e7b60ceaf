/** How providers say that a request does not fit into the model's context, in the message or the body of an error. */

const wordings: readonly RegExp[] = [
  // OpenAI, DeepSeek, Groq, vLLM, llama.cpp and most others.
  /context_length_exceeded|context (?:length|window|limit|size)|reduce the length/i,
  // Anthropic, Fireworks, Mistral.
  /prompt is too long|too (?:long|large) for/i,
  // Gemini, Amazon's models, YandexGPT.
  /input token count|input tokens exceed|input tokens must be no more than|text length is \d+, which is outside/i,
  // xAI, Zhipu, Moonshot, Alibaba, Cohere.
  /maximum prompt length is|prompt exceeds max length|exceeded model token limit|range of input length|too many tokens: total/i,
  // Newer vLLM, Together.
  /longer than the maximum model length|tokens \+ `max_new_tokens` must be/i,
];

export function saysTooLong(text: string): boolean {
  return wordings.some((wording) => wording.test(text));
}
