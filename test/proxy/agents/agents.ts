/**
 * The agents that the tests run, each with the settings of docs/agents.md, and what a model calls to make the agent
 * write a file.
 */
import { join } from 'node:path';
import type { Step } from './scripted-agent-model.ts';

/** The task that an agent gets, as from its user. */
export const task = 'Write Hello into note.txt';

export interface Place {
  /** The gateway's URL, without `/v1`. */
  readonly url: string;
  readonly key: string;
  /** The folder that the agent takes for the user's home. */
  readonly home: string;
}

export interface Agent {
  readonly name: string;
  /** Its folder in `packages/`. */
  readonly package: string;
  /** No two agents have the same model, because each calls other tools. */
  readonly model: string;
  /** Files to write before, by their path in the home. */
  readonly files?: (place: Place) => Readonly<Record<string, string>>;
  readonly environment?: (place: Place) => Readonly<Record<string, string>>;
  /** Runs before the agent, to write its settings. */
  readonly prepare?: (place: Place) => readonly string[];
  readonly command: readonly string[];
  /** Runs at the end, for an agent that leaves a program behind. */
  readonly end?: readonly string[];
  readonly steps: readonly Step[];
}

const shell = 'printf Hello > note.txt';

export const codex = (model: string, steps: readonly Step[]): Agent => ({
  name: `Codex with ${model}`,
  package: 'codex',
  model,
  files: ({ url }) => ({
    '.codex/config.toml': [
      'model_provider = "gateway"',
      '[model_providers.gateway]',
      'name = "Gateway"',
      `base_url = "${url}/v1"`,
      'env_key = "GATEWAY_KEY"',
    ].join('\n'),
  }),
  environment: ({ key, home }) => ({ GATEWAY_KEY: key, CODEX_HOME: join(home, '.codex') }),
  command: ['codex', 'exec', '-m', model, '--skip-git-repo-check', '-s', 'danger-full-access', task],
  steps,
});

const patch = '*** Begin Patch\n*** Add File: note.txt\n+Hello\n*** End Patch\n';

const cline = (provider: string, model: string): Agent => ({
  name: `Cline with its provider ${provider}`,
  package: 'cline',
  model,
  prepare: ({ url, key }) => ['cline', 'auth', '-p', provider, '-k', key, '-m', model, '-b', `${url}/v1`],
  command: ['cline', task],
  end: ['cline', 'hub', 'stop'],
  steps: [{ tool: 'run_commands', arguments: { commands: [shell] } }],
});

/**
 * Continue asks for its latest version at a fixed address, and has no setting against that. This is loaded before it: names
 * of other hosts are not found.
 */
const onlyLoopback = `const dns = require('node:dns');
const { lookup } = dns;
dns.lookup = (host, ...rest) => lookup(host === 'localhost' || host.startsWith('127.') ? host : 'elsewhere.invalid', ...rest);
`;

const continueWith = (model: string): Agent => ({
  name: `Continue with ${model}`,
  package: 'continue',
  model,
  files: ({ url, key }) => ({
    '.continue/config.yaml': [
      'name: Gateway',
      'version: 1.0.0',
      'schema: v1',
      'models:',
      `  - name: ${model}`,
      '    provider: openai',
      `    model: ${model}`,
      `    apiBase: ${url}/v1`,
      `    apiKey: ${key}`,
    ].join('\n'),
    'only-loopback.cjs': onlyLoopback,
  }),
  environment: ({ home }) => ({ NODE_OPTIONS: `--require ${join(home, 'only-loopback.cjs')}` }),
  command: ['cn', '-p', '--allow', 'Write', task],
  steps: [{ tool: 'Write', arguments: { filepath: 'note.txt', content: 'Hello' } }],
});

/** Codex, Cline and Continue choose by the name of the model: their tools, and the API. */
export const agents: readonly Agent[] = [
  // Offered tools: a custom tool with a grammar, a tool search, a hosted tool.
  codex('gpt-5.5', [
    { tool: 'apply_patch', arguments: { input: patch } },
    { tool: 'exec_command', arguments: { cmd: 'cat note.txt' } },
  ]),
  // Offered tools: namespaces in an item of the input, and a custom tool in one of them.
  codex('gpt-6-sol', [
    { tool: 'functions__exec', arguments: { input: `text(await tools.exec_command({ cmd: '${shell}' }));` } },
  ]),
  // Models that the agent does not know get functions, a namespace and a hosted tool.
  codex('codex/model', [{ tool: 'exec_command', arguments: { cmd: shell } }]),
  {
    name: 'Claude Code',
    package: 'claude-code',
    model: 'claude/model',
    environment: ({ url, key }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    command: ['claude', '-p', task, '--model', 'claude/model', '--allowedTools', 'Bash'],
    steps: [{ tool: 'Bash', arguments: { command: shell, description: 'Write the note' } }],
  },
  {
    name: 'opencode',
    package: 'opencode',
    model: 'opencode/model',
    files: ({ url, key }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        model: 'gateway/opencode/model',
        provider: {
          gateway: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { 'opencode/model': {} },
          },
        },
      }),
    }),
    environment: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    command: ['opencode', 'run', task],
    steps: [{ tool: 'bash', arguments: { command: shell, description: 'Write the note' } }],
  },
  {
    name: 'Qwen Code',
    package: 'qwen-code',
    model: 'qwen/model',
    environment: ({ url, key }) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: 'qwen/model',
    }),
    command: ['qwen', '--auth-type', 'openai', '-y', '-p', task],
    steps: [{ tool: 'run_shell_command', arguments: { command: shell, is_background: false } }],
  },
  // The Responses API, because of the name.
  continueWith('gpt-5.1'),
  continueWith('continue/model'),
  cline('openai-native', 'gpt-5.4'),
  cline('openai-compatible', 'cline/model'),
];
