import { parentPort, workerData } from 'node:worker_threads';
import { MainSide } from './ask.js';
import { Helper } from './helper.js';
import type { FromHelper, HelperStart, Incarnation, ToHelper } from './protocol.js';

if (parentPort === null) throw new Error('this code runs in a worker thread');
const port = parentPort;
const start = workerData as HelperStart;
const post = (message: FromHelper): void => port.postMessage(message);
const mainSide = new MainSide(post);
const config = mainSide.configure(start.settings, start.identity);
let helper: Helper | undefined;

port.on('message', (message: ToHelper) => {
  if (message.type === 'adopt') adopt(message.incarnation);
  else if (message.type === 'password') mainSide.answer(message);
  else void stop();
});

function adopt(incarnation: Incarnation): void {
  if (helper !== undefined) return helper.adopt(incarnation);
  helper = new Helper({ ...start, config, incarnation, post });
  void helper.serve();
}

async function stop(): Promise<void> {
  await helper?.stop();
  start.identity?.port.close();
  port.close();
}
