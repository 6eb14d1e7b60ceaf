/** A mail server that can be stopped and started, and that can refuse every recipient. */
import { type MailServer, startMailServer } from '../../../harness/mail-server.ts';

export interface SwitchableMail {
  readonly url: string;
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  refuseRecipients(refuses: boolean): void;
  stop(): Promise<void>;
}

export async function startSwitchableMail(): Promise<SwitchableMail> {
  let refuses = false;
  const options = {
    onRcptTo: (_address: unknown, _session: unknown, done: (error?: Error) => void) => {
      if (refuses) done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
      else done();
    },
  };
  let server: MailServer | undefined = await startMailServer({ options });
  const { port, url } = server;
  const stop = async () => {
    await server?.stop();
    server = undefined;
  };
  return {
    url,
    goAway: stop,
    comeBack: async () => {
      server ??= await startMailServer({ port, options });
    },
    refuseRecipients: (wanted) => {
      refuses = wanted;
    },
    stop,
  };
}
