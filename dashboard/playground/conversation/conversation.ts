/**
 * The conversation of this tab. It outlives the page, so that one can look at a receipt and come back, and ends with the
 * session.
 */

import { useSyncExternalStore } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { session } from '../../app/session/session.ts';
import { chatBodyOf, initialSettings, type Settings } from './chat-request.ts';
import { fetchUsage } from './fetch-usage.ts';
import { type PlaygroundKey, PlaygroundKeyring } from './playground-key.ts';
import { type ChatListener, streamChat } from './stream-chat.ts';
import { type ModelResponse, newResponse, spentOn, type Turn } from './turns.ts';

/** Chunks arrive faster than anyone reads: the page is drawn at most this often. */
const drawIntervalMs = 40;

interface ConversationState {
  readonly turns: readonly Turn[];
  readonly settings: Settings;
  /** The key in use; undefined until a message was sent. */
  readonly key: PlaygroundKey | undefined;
}

const initialState: ConversationState = { turns: [], settings: initialSettings, key: undefined };

class Conversation {
  #state = initialState;
  #shown = initialState;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #nextId = 1;
  #stop = new AbortController();
  readonly #keys = new PlaygroundKeyring();
  readonly #listeners = new Set<() => void>();

  constructor() {
    let user = signedInUser();
    session.subscribe(() => {
      if (signedInUser() !== user) this.#reset();
      user = signedInUser();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): ConversationState => this.#shown;

  /** Asks every model the same. */
  send(message: string, { models, proxyUrl }: { models: readonly string[]; proxyUrl: string }): void {
    const turn: Turn = { id: this.#nextId, message, responses: models.map(newResponse) };
    this.#nextId += 1;
    this.#change({ turns: [...this.#state.turns, turn] });
    this.#draw();
    for (const column of models.keys()) void this.#response(turn.id, column, proxyUrl);
  }

  /** Asks again for a response that failed. */
  retry(turnId: number, column: number, { proxyUrl, newKey }: { proxyUrl: string; newKey: boolean }): void {
    const response = this.#find(turnId)?.responses[column];
    if (response === undefined) return;
    if (newKey) this.#keys.replace();
    this.#patch(turnId, column, { ...newResponse(response.model), formerCost: spentOn(response) });
    void this.#response(turnId, column, proxyUrl);
  }

  /** Stops every response that is being generated. */
  stop(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  /** Begins a new conversation with the same settings. */
  clear(): void {
    this.stop();
    this.#change({ turns: [] });
    this.#draw();
  }

  set(settings: Partial<Settings>): void {
    this.#change({ settings: { ...this.#state.settings, ...settings } });
    // A field that is drawn later loses its cursor.
    this.#draw();
  }

  #reset(): void {
    this.stop();
    this.#keys.clear();
    this.#change(initialState);
    this.#draw();
  }

  async #response(turnId: number, column: number, proxyUrl: string): Promise<void> {
    const { signal } = this.#stop;
    const startedAt = performance.now();
    let outcome: Partial<ModelResponse> = { status: 'done' };
    try {
      await this.#stream(turnId, column, { proxyUrl, signal });
    } catch (error) {
      outcome = signal.aborted ? { status: 'stopped' } : { status: 'failed', error };
    }
    const response = this.#patch(turnId, column, { ...outcome, durationMs: performance.now() - startedAt });
    // What is not delivered is not charged.
    if (response === undefined || response.usage !== undefined || response.requestId === undefined) return;
    if (response.status === 'failed' && response.text === '') return;
    this.#patch(turnId, column, { isSettling: true });
    const usage = await fetchUsage(response.requestId);
    const now = this.#find(turnId)?.responses[column];
    if (now?.requestId === response.requestId) this.#patch(turnId, column, { isSettling: false, usage });
    // Another request was made in its place.
    else if (now !== undefined) this.#patch(turnId, column, { formerCost: spentOn({ ...now, usage }) });
  }

  /** A key that is refused may have been replaced by another tab of the session, so another one is tried once. */
  async #stream(turnId: number, column: number, to: { proxyUrl: string; signal: AbortSignal }): Promise<void> {
    const turn = this.#find(turnId);
    const model = turn?.responses[column]?.model;
    if (turn === undefined || model === undefined) return;
    const { settings, turns } = this.#state;
    const before = turns.slice(0, turns.indexOf(turn));
    const body = chatBodyOf({ model, settings, turns: before, message: turn.message, column });
    const listener = this.#listener(turnId, column);
    const key = await this.#takeKey(to.signal);
    try {
      await streamChat({ ...to, key: key.key, body }, listener);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      await this.#keys.forget(key);
      const { key: next } = await this.#takeKey(to.signal);
      await streamChat({ ...to, key: next, body }, listener);
    }
  }

  async #takeKey(signal: AbortSignal): Promise<PlaygroundKey> {
    const key = await this.#keys.current();
    signal.throwIfAborted();
    this.#change({ key });
    return key;
  }

  #listener(turnId: number, column: number): ChatListener {
    const patch = (values: Partial<ModelResponse>) => void this.#patch(turnId, column, values);
    const response = () => this.#find(turnId)?.responses[column];
    return {
      accepted: (requestId) => patch({ requestId }),
      text: (chunk) => patch({ text: (response()?.text ?? '') + chunk }),
      reasoning: (chunk) => patch({ reasoning: (response()?.reasoning ?? '') + chunk }),
      finished: (finishReason) => patch({ finishReason }),
      usage: (usage) => patch({ usage }),
    };
  }

  #find(turnId: number): Turn | undefined {
    return this.#state.turns.find(({ id }) => id === turnId);
  }

  /** Nothing if the turn is gone. */
  #patch(turnId: number, column: number, values: Partial<ModelResponse>): ModelResponse | undefined {
    const before = this.#find(turnId)?.responses[column];
    if (before === undefined) return undefined;
    const after = { ...before, ...values };
    const patched = (turn: Turn) => ({ ...turn, responses: turn.responses.with(column, after) });
    this.#change({ turns: this.#state.turns.map((turn) => (turn.id === turnId ? patched(turn) : turn)) });
    return after;
  }

  #change(values: Partial<ConversationState>): void {
    this.#state = { ...this.#state, ...values };
    this.#drawing ??= setTimeout(() => this.#draw(), drawIntervalMs);
  }

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#shown = this.#state;
    for (const listener of this.#listeners) listener();
  }
}

function signedInUser(): number | undefined {
  const state = session.state();
  return state.status === 'signedIn' ? state.user.id : undefined;
}

export const conversation = new Conversation();

/** The conversation, for components. */
export const useConversation = (): ConversationState =>
  useSyncExternalStore(conversation.subscribe, conversation.state);
