/** The models that the examples of the documents name, at a scripted provider. */

export const demoModels = (baseUrl: string) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - id: demo/chat
    kind: chat
    ownedBy: demo
    contextTokens: 1000
    maxOutputTokens: 100
    price: { prompt: "1", completion: "2", cachedPrompt: "0.5", cacheWrite: "1.25" }
    deployments: [{ provider: scripted, model: upstream-chat }]
  - id: demo/completion
    kind: completion
    ownedBy: demo
    contextTokens: 1000
    maxOutputTokens: 100
    price: { prompt: "1", completion: "2" }
    deployments: [{ provider: scripted, model: upstream-text }]
  - id: demo/embedding
    kind: embedding
    ownedBy: demo
    contextTokens: 1000
    price: { prompt: "1" }
    deployments: [{ provider: scripted, model: upstream-vectors }]
`;
