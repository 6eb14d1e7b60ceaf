/** The scripted upstream as a separate process: `bun bench/upstream/main.ts PORT`. */
import { Pacer } from './pacer.ts';
import { Session } from './session.ts';

const pacer = new Pacer();

Bun.listen<Session | undefined>({
  hostname: '127.0.0.1',
  port: Number(process.argv[2]),
  socket: {
    open(socket) {
      socket.setNoDelay(true);
      socket.data = new Session(socket, pacer);
    },
    data: (socket, data) => socket.data?.read(data),
    drain: (socket) => socket.data?.drain(),
    close: (socket) => socket.data?.close(),
    error: (socket) => socket.data?.close(),
  },
});
