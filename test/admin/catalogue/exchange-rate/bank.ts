/** A bank on loopback that responds in windows-1251 like the Bank of Russia, or with a fault. */

export interface Quote {
  readonly date?: string;
  readonly value?: string;
  readonly nominal?: string;
}

const currency = (code: string, nominal: string, name: string, value: string) =>
  `<Valute ID="R0${code}"><NumCode>840</NumCode><CharCode>${code}</CharCode><Nominal>${nominal}</Nominal>` +
  `<Name>${name}</Name><Value>${value}</Value><VunitRate>${value}</VunitRate></Valute>`;

export function ratesText({ date = '21.11.2026', value = '81,2345', nominal = '1' }: Quote = {}): string {
  return (
    `<?xml version="1.0" encoding="windows-1251"?><ValCurs Date="${date}" name="Foreign Currency Market">` +
    currency('AMD', '100', 'Армянских драмов', '21,2345') +
    currency('USD', nominal, 'Доллар США', value) +
    currency('EUR', '1', 'Евро', '93,0001') +
    '</ValCurs>'
  );
}

/** The single bytes that windows-1251 has for Cyrillic letters. */
export function inWindows1251(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    return code >= 0x410 && code <= 0x44f ? code - 0x350 : code;
  });
}

export interface Bank {
  readonly url: string;
  /** The `date_req` of every request. */
  readonly requestedDates: (string | null)[];
  respond: (request: Request) => Response | Promise<Response>;
  stop(): Promise<void>;
}

export const textOf = (text: string) => () =>
  new Response(inWindows1251(text), { headers: { 'content-type': 'application/xml' } });

export function startBank(): Bank {
  const requestedDates: (string | null)[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      requestedDates.push(new URL(request.url).searchParams.get('date_req'));
      return bank.respond(request);
    },
  });
  const bank: Bank = {
    url: `http://127.0.0.1:${server.port}/scripts/XML_daily.asp`,
    requestedDates,
    respond: textOf(ratesText()),
    stop: () => server.stop(true),
  };
  return bank;
}
