/**
 * Describes an endpoint with the schemas that its handler validates with, and the errors as the code that throws them
 * makes them. Those that follow from security, parameters and body are added here.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import type { GatewayError } from '../../../shared/errors.ts';
import {
  type DescribedOperation,
  describeOperation,
  type Operation,
  type SuccessResponse,
} from '../../../shared/openapi/describe-operation.ts';
import { exampleOf } from '../../../shared/openapi/example-of.ts';
import { grantOf, type Permission, roles } from '../../auth/permissions.ts';
import { refuseUnknownParameters } from '../../http/request/refuse-unknown-parameters.ts';
import {
  type Credential,
  errorsOfBody,
  errorsOfEverything,
  errorsOfParameters,
  errorsOfPermission,
} from './error-examples.ts';
import { openApi30Schema } from './plain-schema.ts';

export interface Endpoint extends Pick<Operation, 'id' | 'tag' | 'summary' | 'description'> {
  /** What the caller must be allowed to do; `public` if anyone may call it. */
  readonly permission: Permission | 'public';
  /** An access token by default. A billing key has every permission of the operations that take it. */
  readonly credential?: Credential;
  /** What those have who have the permission for what is their own; their keys by default. */
  readonly own?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  /** Others decide which query parameters come: none is refused. */
  readonly anyQuery?: true;
  readonly headers?: TObject;
  readonly body?: { readonly schema: TObject; readonly example?: unknown; readonly optional?: boolean };
  readonly response: Omit<SuccessResponse, 'headers' | 'stream' | 'schema'> & { readonly schema?: TSchema };
  /** Besides those that follow from security, parameters and body, or instead of them. */
  readonly errors?: readonly GatewayError[];
  /** The statuses that a browser gets as a page, instead of JSON. */
  readonly pages?: readonly number[];
}

export interface Described {
  readonly detail: DocumentDecoration;
  /** Refuses query parameters that the endpoint does not document. */
  readonly beforeHandle: (context: { readonly request: Request }) => void;
}

/** What `authorized` of admin/auth/authorize.ts enforces. */
interface Restricted extends Described {
  readonly permission: Permission;
}

/**
 * The route options that document an operation and enforce what is documented. Examples are composed of the fields' by
 * default.
 */
export function describe(endpoint: Endpoint & { readonly permission: 'public' }): Described;
export function describe(endpoint: Endpoint & { readonly permission: Permission }): Restricted;
export function describe(endpoint: Endpoint): Described {
  const { params, query, anyQuery, headers, body: sent, response, errors = [], pages = [], ...rest } = endpoint;
  const { permission, credential = 'accessToken', own = 'their own keys', ...texts } = rest;
  const body = sent && { ...sent, example: sent.example ?? exampleOf(sent.schema) };
  const operation = describeOperation({
    ...texts,
    ...withRoles(texts, { permission, credential, own }),
    security: permission === 'public' ? [] : [credential],
    parameters: [
      ...describeParameters('path', params),
      ...describeParameters('query', query),
      ...describeParameters('header', headers),
    ],
    ...(body !== undefined && { body: { ...body, schema: openApi30Schema(body.schema) } }),
    response: withPlainSchema(response),
    errors: [
      ...(body === undefined ? [] : errorsOfBody(body)),
      ...(anyQuery ? [] : errorsOfParameters(endpoint)),
      ...errorsOfPermission(permission, credential),
      ...errors,
      ...errorsOfEverything,
    ],
  });
  return {
    detail: withPages(operation, pages) as DocumentDecoration,
    beforeHandle: ({ request }) => {
      if (!anyQuery) refuseUnknownParameters(request.url, query);
    },
    ...(permission !== 'public' && { permission }),
  };
}

/** The description with the roles that have the permission, unless all have it. */
function withRoles(
  { description }: Pick<Endpoint, 'description'>,
  { permission, credential, own }: Required<Pick<Endpoint, 'permission' | 'credential' | 'own'>>,
): { readonly description?: string } {
  if (permission === 'public' || credential === 'billingKey') return {};
  const grant = grantOf(permission);
  if (grant === undefined || grant.all.length === roles.length) return {};
  const list = (some: readonly string[]) => some.map((role) => `\`${role}\``).join(', ');
  const named = `Roles: ${list(grant.all)}${grant.own.length === 0 ? '' : `; ${list(grant.own)} for ${own}`}.`;
  return { description: description === undefined ? named : `${description}\n\n${named}` };
}

function withPlainSchema({ schema, ...response }: Endpoint['response']): SuccessResponse {
  if (schema === undefined) return response;
  return { ...response, schema: openApi30Schema(schema), example: response.example ?? exampleOf(schema) };
}

const page = { schema: { type: 'string' }, example: '<!doctype html>…' };

function withPages(operation: DescribedOperation, statuses: readonly number[]): DescribedOperation {
  const withPage = statuses.map((status) => {
    const response = operation.responses[status];
    return [status, { ...response, content: { ...response?.content, 'text/html': page } }];
  });
  return { ...operation, responses: { ...operation.responses, ...Object.fromEntries(withPage) } };
}

function describeParameters(place: 'path' | 'query' | 'header', schema: TObject | undefined) {
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...property }]) => ({
    in: place,
    name,
    description,
    required: schema?.required?.includes(name) ?? false,
    schema: openApi30Schema(property),
  }));
}
