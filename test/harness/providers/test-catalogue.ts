/** The test catalogue: models of a scripted provider at prices that are easy to calculate with. */

export function testCatalogue(baseUrl: string): string {
  return `
markup: "1.20"
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
  # 0.60 and 1.80 USD per million tokens for the customer.
  - id: test/chat
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "0.50", completion: "1.50" }
    deployments: [{ provider: scripted, model: upstream-chat }]
  # A free prompt, and 10 micro-dollars for each output token.
  - id: test/priced-output
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 4096
    price: { prompt: "0", completion: "10" }
    markup: "1"
    deployments: [{ provider: scripted, model: upstream-priced }]
  - id: test/failover
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "0.50", completion: "1.50" }
    deployments:
      - { provider: scripted, model: upstream-first, priority: 1 }
      - { provider: scripted, model: upstream-second, priority: 2 }
`;
}
