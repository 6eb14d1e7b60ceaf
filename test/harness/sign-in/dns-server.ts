/** A real DNS server on loopback, with the TXT records that a test writes. */
import dns2 from 'dns2';

export class DnsServer {
  /** By the domain, in lower case. */
  readonly records = new Map<string, readonly string[]>();
  readonly #server: ReturnType<typeof dns2.createServer>;

  private constructor() {
    const { Packet } = dns2;
    this.#server = dns2.createServer({
      udp: true,
      handle: (request, send) => {
        const response = Packet.createResponseFromRequest(request);
        const [question] = request.questions;
        const name = question?.name.toLowerCase() ?? '';
        for (const data of this.records.get(name) ?? []) {
          response.answers.push({ name, type: Packet.TYPE.TXT, class: Packet.CLASS.IN, ttl: 0, data } as never);
        }
        send(response);
      },
    });
  }

  /** A socket that was closed cannot be opened again, so each file of tests starts its own. */
  static async start(): Promise<DnsServer> {
    const server = new DnsServer();
    await server.#server.listen({ udp: { port: 0, address: '127.0.0.1' } });
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#server.addresses().udp?.port}`;
  }

  async stop(): Promise<void> {
    await this.#server.close();
  }
}
