// The onion, innermost first: a folder may import itself and anything before it.
const layers = [
  'base',
  'bucket',
  'access',
  'state',
  'graph',
  'records',
  'projects',
  'variables',
  'execution',
  'configurations',
  'governance',
  'notifications',
  'health',
  'registry',
  'project',
  'scan',
  'rollouts',
  'engines',
  'runner',
  'runs',
  'vcs',
  'drift',
  'fleet',
  'entry',
  'wire',
]

const onion = layers.slice(0, -1).map((layer, at) => ({
  name: `onion-${layer}`,
  severity: 'error',
  comment: 'a layer imports itself and the layers inside it; news travels outward by events or callbacks',
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${layers.slice(at + 1).join('|')})/` },
}))

module.exports = {
  forbidden: [
    ...onion,
    {
      name: 'known-layers-only',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${layers.join('|')})/` },
      to: {},
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'what is loaded lazily may know who loads it; nothing else goes in circles',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
    },
    {
      name: 'no-cycles-in-tests',
      severity: 'error',
      from: { path: '^(test|bench)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'front-door-only',
      severity: 'error',
      comment: 'another layer is entered by its index.ts',
      from: { path: '^src/([^/]+)/', pathNot: '\\.test\\.tsx?$' },
      to: {
        path: '^src/[^/]+/.+',
        pathNot: [
          '^src/$1/',
          '^src/base/',
          '^src/[^/]+/index\\.ts$',
          '/adapters/',
          '^src/entry/[^/]+/index\\.ts$',
        ],
      },
    },
    {
      name: 'adapters-are-wired-once',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/wire/', '/adapters/', '\\.test\\.tsx?$'] },
      to: { path: '/adapters/' },
    },
    {
      name: 'entries-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/entry/([^/]+)/' },
      to: { path: '^src/entry/', pathNot: '^src/entry/$1/' },
    },
    {
      name: 'host-only',
      severity: 'error',
      comment: 'side effects belong to base/host, adapters, what runs engines in work folders, and faces',
      from: {
        path: '^src/',
        pathNot: [
          '^src/base/host',
          '/adapters/',
          '^src/engines/run\\.ts$',
          '^src/runner/host/',
          '^src/entry/',
          '^src/wire/',
          '\\.test\\.tsx?$',
        ],
      },
      to: { path: '^(node:)?(fs|fs/promises|child_process|net|http|https)$' },
    },
    {
      name: 'cloud-sdks-stay-in-adapters',
      severity: 'error',
      from: { path: '^src/', pathNot: '/adapters/' },
      to: { path: 'node_modules/(@aws-sdk|@smithy|@azure|@google-cloud)/' },
    },
    {
      name: 'the-program-does-not-know-its-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^(test|bench|tools)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
