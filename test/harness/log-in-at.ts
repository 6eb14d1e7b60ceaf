/** An access token of a customer, for tests that call `/api` themselves. */
import { type Customer, testPassword } from './customers.ts';

export async function logInAt(url: string, { email }: Customer): Promise<string> {
  const body = JSON.stringify({ email, password: testPassword });
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body });
  if (!response.ok) throw new Error(`login: ${response.status} ${await response.text()}`);
  const { accessToken } = Object(await response.json());
  return accessToken;
}
