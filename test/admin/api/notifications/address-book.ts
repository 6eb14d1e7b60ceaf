/** Additional alert addresses through the API, as an account and the owners of the addresses use them. */
import { type Customer, testPassword } from '../../../harness/customers.ts';
import type { Harness } from '../../../harness.ts';
import { newestToken } from '../mailbox.ts';
import type { AlertAddress, AlertAddressList, LinkResponse } from '../response-types.ts';
import { type Api, type ApiResponse, logIn, randomEmail } from '../start-api.ts';

export type Caller = Customer & { readonly token: string };
type Authorized = Pick<Caller, 'token'>;

export const addressesPath = '/api/settings/notifications/addresses';

export class AddressBook {
  constructor(
    readonly harness: Harness,
    readonly api: Api,
  ) {}

  async newCustomer(usd = '0'): Promise<Caller> {
    const customer = await this.harness.createCustomer({ usd });
    return { ...customer, token: await logIn(this.api, customer.email, testPassword) };
  }

  add({ token }: Authorized, email: string, headers = {}): Promise<ApiResponse<AlertAddress>> {
    return this.api.call('POST', addressesPath, { token, body: { email }, headers });
  }

  async list({ token }: Authorized): Promise<AlertAddress[]> {
    return (await this.api.call<AlertAddressList>('GET', addressesPath, { token })).body.addresses;
  }

  confirm(token: string): Promise<ApiResponse<LinkResponse>> {
    return this.api.call('POST', `/api/alert-addresses/confirm?token=${encodeURIComponent(token)}`);
  }

  unsubscribe(token: string): Promise<ApiResponse<LinkResponse>> {
    return this.api.call('POST', `/api/alert-addresses/unsubscribe?token=${encodeURIComponent(token)}`);
  }

  /** The token of the newest link mailed to the address. */
  linkTo(email: string): Promise<string> {
    return newestToken(this.harness, email, 'verify_alert_address');
  }

  async addProven(caller: Authorized): Promise<string> {
    const email = randomEmail();
    const added = await this.add(caller, email);
    const confirmed = await this.confirm(await this.linkTo(email));
    if (added.status !== 201 || confirmed.status !== 200) throw new Error(`${email} was not added`);
    return email;
  }
}
