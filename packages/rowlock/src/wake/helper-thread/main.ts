import { parentPort, workerData } from 'node:worker_threads';
import { MainSide } from './ask.js';
import { Helper } from './helper.js';
import type { FromHelper, HelperStart, ToHelper } from './protocol.js';

if (parentPort === null) throw new Error('this code runs in a worker thread');
const port = parentPort;
const start = workerData as HelperStart;
const post = (message: FromHelper): void => port.postMessage(message);
const mainSide = new MainSide(post);
const helper = new Helper(start, mainSide.configure(start.settings, start.identity), post);

port.on('message', (message: ToHelper) => {
  if (message.type === 'adopt') helper.adopt(message.incarnation);
  else if (message.type === 'password') mainSide.answer(message);
  else void stop();
});
void helper.serve();

async function stop(): Promise<void> {
  await helper.stop();
  start.identity?.port.close();
  port.close();
}
