// The layers of packages/rowlock/src, lowest first; those on one line do not know each other. docs/life-of-a-job.md walks them.
const layers = [
  ['job'],
  ['observe', 'runtime', 'sql'],
  ['db'],
  ['config'],
  ['enqueue', 'migrate', 'wake'],
  ['maintenance'],
  ['worker'],
];
const source = '^packages/rowlock/src/';
/** A constant that any layer may name. */
const version = `${source}version\\.ts$`;
const production = { pathNot: '\\.test\\.ts$' };

function folders(names) {
  return `${source}(${names.join('|')})/`;
}

function layerRule(layer, level) {
  return layer.map((folder) => {
    const allowed = [folder, ...layers.slice(0, level).flat()];
    return {
      name: `layer-${folder}`,
      comment: `${folder}/ may import only ${allowed.join(', ')}.`,
      severity: 'error',
      from: { path: folders([folder]), ...production },
      to: { path: source, pathNot: [folders(allowed), version] },
    };
  });
}

module.exports = {
  forbidden: [
    ...layers.flatMap(layerRule),
    {
      name: 'no-cycles',
      comment: 'Not even by type.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'job-is-pure',
      comment: 'The domain imports nothing at all.',
      severity: 'error',
      from: { path: folders(['job']), ...production },
      to: { pathNot: folders(['job']) },
    },
    {
      name: 'runtime-and-observe-know-only-job',
      severity: 'error',
      from: { path: folders(['runtime', 'observe']), ...production },
      to: { path: source, pathNot: folders(['job', 'runtime', 'observe']) },
    },
    {
      name: 'sql-takes-only-types-of-job',
      severity: 'error',
      from: { path: folders(['sql']), ...production },
      to: { path: folders(['job']), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-seam-to-the-driver',
      comment: 'Only db/, the helper thread (a connection of its own) and test support talk to pg.',
      severity: 'error',
      from: { path: source, pathNot: [`${source}(db|testing|wake/helper-thread)/`, '\\.test\\.ts$'] },
      to: { path: 'node_modules/(pg|pg-pool|@types/pg)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: source, pathNot: [folders(['testing']), '\\.test\\.ts$'] },
      to: { path: [folders(['testing']), '\\.test\\.ts$'] },
    },
    {
      name: 'public-exports-only',
      comment: 'Other packages and the examples use what a user can use.',
      severity: 'error',
      from: { path: '^(packages/(?!rowlock/)|examples/)' },
      to: { path: '^packages/rowlock/(src|dist)/', pathNot: '^packages/rowlock/dist/index\\.(js|d\\.ts)$' },
    },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      from: { path: '^(packages|examples)/', ...production },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { pathNot: '\\.gen\\.ts$' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/.*\\.map$'] },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
