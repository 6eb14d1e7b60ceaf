/** A connection to a browser's DevTools protocol: commands that are answered, and events. */

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly result?: Fields;
  readonly error?: { readonly message: string };
  readonly method?: string;
  readonly params?: Fields;
  readonly sessionId?: string;
}

interface Waiting {
  resolve(result: Fields): void;
  reject(error: Error): void;
}

export class DevtoolsConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, ((event: Fields) => void)[]>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#read(JSON.parse(String(data)));
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser has gone'));
    };
  }

  static async open(url: string): Promise<DevtoolsConnection> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error(`no connection to ${url}`));
    });
    return new DevtoolsConnection(socket);
  }

  send(method: string, params: object, sessionId?: string): Promise<Fields> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  /** Of one page, which is what a session is attached to. */
  on(sessionId: string, event: string, listener: (event: Fields) => void): void {
    const key = `${sessionId} ${event}`;
    this.#listeners.set(key, [...(this.#listeners.get(key) ?? []), listener]);
  }

  #read({ id, result, error, method, params, sessionId }: Message): void {
    const listeners = this.#listeners.get(`${sessionId} ${method}`) ?? [];
    for (const listener of listeners) listener(params ?? {});
    if (id === undefined) return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result ?? {});
    else waiting?.reject(new Error(error.message));
  }
}
