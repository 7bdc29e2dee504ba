import type { State } from './state.js';
import { transitions } from './transitions.js';

const finalStates: readonly State[] = ['completed', 'cancelled', 'discarded'];

/** The transitions as a Mermaid diagram; what leads from one state to the same other shares an arrow. */
export function renderStateDiagram(): string {
  const arrows = new Map<string, string[]>();
  for (const { from, to, fact, when } of transitions) {
    const arrow = `${from ?? '[*]'} --> ${to}`;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), fact ?? when]);
  }
  const lines = [...arrows].map(([arrow, labels]) => `  ${arrow}: ${labels.join(', ')}`);
  const ends = finalStates.map((state) => `  ${state} --> [*]`);
  return ['stateDiagram-v2', ...lines, ...ends].join('\n');
}
