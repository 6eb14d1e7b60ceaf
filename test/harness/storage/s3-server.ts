/**
 * As much of S3's API as a store of objects uses, in memory: PUT, uploads in parts, GET, DELETE, and lists in pages. It refuses
 * requests that are not signed with its key id, and fails when a test says so.
 */
export interface S3Request {
  readonly method: string;
  /** Of the object; empty for a list. */
  readonly key: string;
  /** Of a list. */
  readonly prefix: string;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Uint8Array>;
}

export interface S3Server {
  /** As FILES_S3_URL. */
  readonly url: string;
  readonly objects: Map<string, Uint8Array>;
  /** Until it is set back, every request gets this status. */
  failWith: number | undefined;
  /** What a test answers instead of a request; undefined for those that are answered as usual. */
  instead: ((request: S3Request) => Response | undefined) | undefined;
  stop(): Promise<void>;
}

const pageSize = 3;
const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    status,
    headers: { 'content-type': 'application/xml' },
  });

export function startS3Server(): S3Server {
  const objects = new Map<string, Uint8Array>();
  const uploads = new Map<string, Upload>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: async (request) => {
      const bytes = await request.bytes();
      if (state.failWith !== undefined) return xml('<Error><Code>InternalError</Code></Error>', state.failWith);
      if (!request.headers.get('authorization')?.includes('Credential=test-key/')) {
        return xml('<Error><Code>AccessDenied</Code></Error>', 403);
      }
      return answer(request, bytes);
    },
  });

  function answer(request: Request, bytes: Uint8Array): Response {
    const { pathname, searchParams } = new URL(request.url);
    const [, , ...parts] = decodeURIComponent(pathname).split('/');
    const key = parts.join('/');
    const prefix = searchParams.get('prefix') ?? '';
    const instead = state.instead?.({ method: request.method, key, prefix });
    if (instead !== undefined) return instead;
    const uploadId = searchParams.get('uploadId');
    if (request.method === 'POST') return uploadId === null ? begin(key) : complete(uploadId);
    if (request.method === 'PUT') {
      if (uploadId === null) objects.set(key, bytes);
      else uploads.get(uploadId)?.parts.set(Number(searchParams.get('partNumber')), bytes);
      return new Response(null, { headers: { etag: '"e"' } });
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return new Response(null, { status: 204 });
    }
    if (key === '') return list(prefix, searchParams.get('continuation-token') ?? '');
    const found = objects.get(key);
    if (found === undefined) return xml('<Error><Code>NoSuchKey</Code></Error>', 404);
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? [];
    if (start === undefined) return new Response(Uint8Array.from(found));
    return new Response(Uint8Array.from(found.slice(Number(start), Number(end) + 1)), { status: 206 });
  }

  function begin(key: string): Response {
    const uploadId = crypto.randomUUID();
    uploads.set(uploadId, { key, parts: new Map() });
    return xml(`<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`);
  }

  function complete(uploadId: string): Response {
    const upload = uploads.get(uploadId);
    if (upload === undefined) return xml('<Error><Code>NoSuchUpload</Code></Error>', 404);
    const ordered = [...upload.parts].sort(([one], [other]) => one - other).map(([, bytes]) => bytes);
    objects.set(upload.key, Buffer.concat(ordered));
    return xml('<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>');
  }

  function list(prefix: string, after: string): Response {
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, pageSize);
    const more = keys.length > page.length;
    const contents = page.map((key) => `<Contents><Key>${escapeXml(key)}</Key><Size>1</Size></Contents>`).join('');
    const token = more ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? '')}</NextContinuationToken>` : '';
    return xml(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${contents}</ListBucketResult>`);
  }

  const state: S3Server = {
    url: `http://test-key:test-secret@127.0.0.1:${server.port}/bucket/gateway`,
    objects,
    failWith: undefined,
    instead: undefined,
    stop: () => server.stop(true),
  };
  return state;
}
