/** A browser on its way to an identity provider and back: it keeps cookies by host, and follows redirects. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Follows until the dashboard is reached, whose address is returned. */
  async follow(url: string, until: (url: string) => boolean): Promise<string> {
    let address = url;
    for (let steps = 0; steps < 20; steps += 1) {
      if (until(address)) return address;
      const response = await this.get(address);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${address} answers ${response.status}: ${await response.text()}`);
      address = new URL(location, address).href;
    }
    throw new Error('more than twenty redirects');
  }

  async get(address: string): Promise<Response> {
    const { host } = new URL(address);
    const cookies = this.#of(host);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { redirect: 'manual', headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    this.keep(host, response.headers);
    return response;
  }

  keep(host: string, headers: Headers): void {
    const cookies = this.#of(host);
    for (const line of headers.getSetCookie()) {
      const { name, value, maxAge } = Bun.Cookie.parse(line);
      if (maxAge === 0 || value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
  }

  cookie(host: string, name: string): string | undefined {
    return this.#of(host).get(name);
  }

  #of(host: string): Map<string, string> {
    const found = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, found);
    return found;
  }
}
