/** A streamed response through JavaScript, which forwards every chunk without inspecting it. */

export async function readThrough(request: Request, url: string): Promise<Response> {
  const body = await request.text();
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', timeout: false });
  const reader = response.body?.getReader();
  const stream = new ReadableStream({
    type: 'direct',
    pull: async (controller: ReadableStreamDirectController) => {
      for (;;) {
        const chunk = await reader?.read();
        if (chunk === undefined || chunk.done) break;
        const written = controller.write(chunk.value);
        void controller.flush();
        if (typeof written !== 'number') await written;
      }
      controller.close();
    },
  });
  return new Response(stream, { status: response.status, headers: { 'content-type': 'text/event-stream' } });
}
