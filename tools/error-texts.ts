import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A message or hint as it is written in the source. */
export interface ErrorText {
  readonly place: string
  readonly kind: 'message' | 'hint'
  /** With `…` for every value that is filled in. */
  readonly text: string
  /** The last part is filled in, and what fills it in was not found in the source. */
  readonly isOpenEnded: boolean
}

type Kind = ErrorText['kind']
type Fn = ts.FunctionLikeDeclaration

const JOINS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
])

/**
 * Finds the texts of all errors and findings. It starts from `new TacoError`, `badRequest`, `hint:` and doctor's
 * findings and follows names, calls and parameters back to the literals. Names are resolved by file and import, without
 * types, which takes a second instead of ten.
 */
export function errorTexts(src: string): readonly ErrorText[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) =>
      ts.createSourceFile(name, readFileSync(join(src, name), 'utf8'), ts.ScriptTarget.Latest, true),
    )
  const index = indexOf(files)
  const found = new Map<ts.Node, ErrorText>()
  const seen = new Map<ts.Node, Set<number | undefined>>()

  /** Texts that an expression may have; `at` is the element if it is a tuple. */
  function follow(node: ts.Node | undefined, kind: Kind, at?: number): boolean {
    if (node === undefined) return false
    const elements = seen.get(node) ?? new Set()
    if (elements.has(at)) return true
    seen.set(node, elements.add(at))
    if (ts.isStringLiteralLike(node)) return note(node, kind, node.text, false)
    if (ts.isTemplateExpression(node)) return noteTemplate(node, kind)
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
      return follow(node.expression, kind, at)
    if (ts.isConditionalExpression(node)) return both(node.whenTrue, node.whenFalse, kind, at)
    if (ts.isBinaryExpression(node) && JOINS.has(node.operatorToken.kind))
      return both(node.left, node.right, kind, at)
    if (ts.isArrayLiteralExpression(node)) return follow(node.elements[at ?? -1], kind)
    if (ts.isIdentifier(node)) return followName(node, kind)
    if (ts.isElementAccessExpression(node)) return followTable(node, kind, at)
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const fns = index.functions(node.expression)
      return fns.flatMap(returnsOf).filter((value) => follow(value, kind, at)).length > 0
    }
    return false
  }

  function both(a: ts.Node, b: ts.Node, kind: Kind, at?: number): boolean {
    const first = follow(a, kind, at)
    return follow(b, kind, at) || first
  }

  /** A parameter has the values that callers give; a constant the one it is given. */
  function followName(name: ts.Identifier, kind: Kind): boolean {
    for (let scope: ts.Node = name.parent; scope !== undefined; scope = scope.parent) {
      if (ts.isFunctionLike(scope)) {
        const fn = scope as Fn
        const i = fn.parameters.findIndex((one) => one.name.getText() === name.text)
        if (i >= 0) {
          const values = [fn.parameters[i]?.initializer, ...index.calls(fn).map((call) => call.arguments[i])]
          return values.filter((value) => follow(value, kind)).length > 0
        }
      }
      const declared = index.constant(scope, name.text)
      if (declared !== undefined) return follow(declared.value, kind, declared.at)
    }
    const imported = index.imported(name)
    return imported !== undefined && follow(imported.value, kind, imported.at)
  }

  function followTable({ expression }: ts.ElementAccessExpression, kind: Kind, at?: number): boolean {
    const table = ts.isIdentifier(expression)
      ? index.constant(expression.getSourceFile(), expression.text)
      : undefined
    if (table === undefined || !ts.isObjectLiteralExpression(table.value)) return false
    const values = table.value.properties.filter(ts.isPropertyAssignment).map((one) => one.initializer)
    return values.filter((value) => follow(value, kind, at)).length > 0
  }

  function noteTemplate(node: ts.TemplateExpression, kind: Kind): boolean {
    const last = node.templateSpans.at(-1)
    const isOpenEnded = last?.literal.text === '' && !follow(last.expression, kind)
    const text = node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
    return note(node, kind, text, isOpenEnded)
  }

  function note(node: ts.Node, kind: Kind, text: string, isOpenEnded: boolean): true {
    const file = node.getSourceFile()
    const { line } = file.getLineAndCharacterOfPosition(node.getStart())
    found.set(node, { place: `${file.fileName}:${line + 1}`, kind, text: text.trimStart(), isOpenEnded })
    return true
  }

  for (const file of files)
    walk(file, (node) => {
      for (const [value, kind] of textsIn(node)) follow(value, kind)
    })
  return [...found.values()].filter(({ text }) => text !== '')
}

/** Where texts enter errors and findings. */
function textsIn(node: ts.Node): readonly (readonly [ts.Node | undefined, Kind])[] {
  if (ts.isNewExpression(node) && node.expression.getText() === 'TacoError')
    return [[node.arguments?.[1], 'message']]
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'hint') return [[node.initializer, 'hint']]
  if (ts.isShorthandPropertyAssignment(node) && node.name.text === 'hint') return [[node.name, 'hint']]
  if (!ts.isCallExpression(node)) return []
  const { 1: second, 2: third, 3: fourth } = node.arguments
  const callee = node.expression.getText()
  if (callee === 'badRequest')
    return [
      [second, 'message'],
      [third, 'hint'],
    ]
  // Findings of doctor: level, check, message, hint.
  if (callee === 'say' || callee === 'finding' || callee.startsWith('finder('))
    return [
      [third, 'message'],
      [fourth, 'hint'],
    ]
  return []
}

interface Constant {
  readonly value: ts.Expression
  readonly at: number | undefined
}

/** Functions, their calls and constants by name, as far as a file can see them. */
function indexOf(files: readonly ts.SourceFile[]) {
  const functionsByName = new Map<string, Fn[]>()
  const callsByName = new Map<string, ts.CallExpression[]>()
  const constants = new Map<ts.Node, Map<string, Constant>>()
  const imports = new Map<ts.SourceFile, ReadonlySet<string>>(files.map((file) => [file, importsOf(file)]))
  for (const file of files)
    walk(file, (node) => {
      const name = isFunction(node) ? nameOf(node) : undefined
      if (isFunction(node) && name !== undefined) push(functionsByName, name, node)
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
        push(callsByName, node.expression.text, node)
      if (ts.isVariableDeclaration(node) && node.initializer !== undefined) {
        const scope = node.parent.parent.parent
        const own = constants.get(scope) ?? new Map<string, Constant>()
        for (const [declared, at] of namesIn(node.name)) own.set(declared, { value: node.initializer, at })
        constants.set(scope, own)
      }
    })

  const sees = (file: ts.SourceFile, other: ts.Node, name: string) =>
    file === other.getSourceFile() || imports.get(file)?.has(name) === true
  return {
    functions(name: ts.Identifier): readonly Fn[] {
      const all = functionsByName.get(name.text) ?? []
      const file = name.getSourceFile()
      const own = all.filter((fn) => fn.getSourceFile() === file)
      return own.length > 0 ? own : all.filter((fn) => sees(file, fn, name.text))
    },
    calls(fn: Fn): readonly ts.CallExpression[] {
      const name = nameOf(fn) ?? ''
      return (callsByName.get(name) ?? []).filter((call) => sees(call.getSourceFile(), fn, name))
    },
    constant: (scope: ts.Node, name: string) => constants.get(scope)?.get(name),
    imported(name: ts.Identifier): Constant | undefined {
      if (imports.get(name.getSourceFile())?.has(name.text) !== true) return undefined
      return files.map((file) => constants.get(file)?.get(name.text)).find((one) => one !== undefined)
    },
  }
}

function isFunction(node: ts.Node): node is Fn {
  return ts.isFunctionDeclaration(node) || ts.isArrowFunction(node)
}

function nameOf(fn: Fn): string | undefined {
  if (fn.name !== undefined) return fn.name.getText()
  return ts.isVariableDeclaration(fn.parent) ? fn.parent.name.getText() : undefined
}

function namesIn(name: ts.BindingName): readonly (readonly [string, number | undefined])[] {
  if (ts.isIdentifier(name)) return [[name.text, undefined]]
  if (!ts.isArrayBindingPattern(name)) return []
  return name.elements.map((element, i) => [element.getText(), i] as const)
}

function returnsOf({ body }: Fn): readonly ts.Expression[] {
  if (body === undefined) return []
  if (!ts.isBlock(body)) return [body]
  const found: ts.Expression[] = []
  walk(body, (node) => {
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression)
  })
  return found
}

function importsOf(file: ts.SourceFile): ReadonlySet<string> {
  const bindings = file.statements
    .filter(ts.isImportDeclaration)
    .map(({ importClause }) => importClause?.namedBindings)
  return new Set(
    bindings.flatMap((one) =>
      one !== undefined && ts.isNamedImports(one) ? one.elements.map(({ name }) => name.text) : [],
    ),
  )
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}
