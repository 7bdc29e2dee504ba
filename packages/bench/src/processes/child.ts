import { Channel, receiveTask } from './channel.js';
import { drain } from './drain.js';
import { enqueue } from './enqueue.js';
import { hold } from './hold.js';
import { offer } from './offer.js';
import { receive } from './receive.js';
import type { Results, Task } from './task.js';

// A process of its own for each producer and worker, so that none shares an event loop or a heap with another.

process.once('disconnect', () => process.exit(1));

const channel = new Channel();
channel.done(await perform(await receiveTask()));
process.removeAllListeners('disconnect');
process.disconnect();

function perform(task: Task): Promise<Results[keyof Results]> {
  switch (task.do) {
    case 'drain':
      return drain(task, channel);
    case 'enqueue':
      return enqueue(task, channel);
    case 'offer':
      return offer(task, channel);
    case 'receive':
      return receive(task, channel);
    case 'hold':
      return hold(task, channel);
  }
}
