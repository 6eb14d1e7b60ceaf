/** What Alertmanager's receivers get: a webhook for each, with the receiver's name as its path. */

export interface Notification {
  readonly alert: string;
  readonly receiver: string;
  readonly isResolved: boolean;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly notifications: readonly Notification[];
  /** The last one about this alert; undefined if there is none since then. */
  lastOf(alert: string, sinceMs: number): Notification | undefined;
  stop(): Promise<void>;
}

/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
interface Payload {
  readonly status: 'firing' | 'resolved';
  readonly groupLabels: { readonly alertname: string };
}

export function startReceiver(): Receiver {
  const notifications: Notification[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { status, groupLabels } = (await request.json()) as Payload;
      const receiver = new URL(request.url).pathname.slice(1);
      const isResolved = status === 'resolved';
      notifications.push({ alert: groupLabels.alertname, receiver, isResolved, atMs: Date.now() });
      return new Response(null);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    notifications,
    lastOf: (alert, sinceMs) => notifications.findLast((each) => each.alert === alert && each.atMs >= sinceMs),
    stop: () => server.stop(true),
  };
}
