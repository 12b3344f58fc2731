import { randomUUID } from 'node:crypto'
import type { Child } from 'hono/jsx'
import { InOrg } from './command-org.tsx'
import { Keys } from './keys.tsx'
import { Navigation, PhoneNavigation } from './places.tsx'
import { Notice } from './parts.tsx'
import { Switcher } from './switcher.tsx'
import { THEMES, type Theme } from './theme.ts'
import type { View } from './view.ts'

/**
 * Parts that are renewed are morphed: what people opened stays open, and what scripts added stays. htmx compares the
 * beginning of the names.
 */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorCSS: false,
  morphIgnore: ['data-htmx-powered', 'open', 'aria-selected', 'data-is-', 'tabindex'],
})

interface LayoutProps {
  readonly view: View
  readonly title: string
  /** True: a page by itself, such as sign-in, without the navigation. */
  readonly isAlone?: boolean
  readonly isWide?: boolean
  /** Given: the page follows what happens. The query says what of it. Parts of the page say what they follow. */
  readonly live?: string
  /** True: it is shown instead of what a form does. What was typed is kept for the page that follows. */
  readonly isRefusal?: boolean
  /** What is in the search field. */
  readonly search?: string
  /** Further assets that this page loads. */
  readonly scripts?: readonly string[]
  readonly children?: Child
}

/** The one frame of all pages. */
export function Layout({
  view,
  title,
  isAlone = view.person === undefined,
  isWide = false,
  isRefusal = false,
  scripts = [],
  live,
  search = '',
  children,
}: LayoutProps) {
  const theme = view.theme === 'auto' ? {} : { 'data-theme': view.theme }
  return (
    <html lang="en" {...theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={view.theme === 'auto' ? 'light dark' : view.theme} />
        <title>{`${title} · OpenTaco`}</title>
        <link rel="icon" type="image/svg+xml" href={view.pathOf('taco.svg')} />
        <link rel="stylesheet" href={view.pathOf('taco.css')} />
        <meta name="htmx-config" content={HTMX_CONFIG} />
        <script src={view.pathOf('htmx.js')} defer></script>
        <script type="module" src={view.pathOf('taco.js')}></script>
        <script type="module" src={view.pathOf('forms.js')}></script>
        {[...(live === undefined ? [] : ['live.js']), ...scripts].map((file) => (
          <script type="module" src={view.pathOf(file)}></script>
        ))}
      </head>
      <body
        data-live={live === undefined ? undefined : `${view.org?.base ?? ''}/live${live}`}
        data-is-refusal={isRefusal ? '' : undefined}
      >
        <a class="skip" href="#content">
          Skip to content
        </a>
        <div class={isAlone ? 'frame alone' : 'frame'}>
          <header class="top">
            <a class="brand" href="/" aria-label="OpenTaco">
              <Logo />
              <span class={view.org === undefined ? undefined : 'brand-name'}>OpenTaco</span>
            </a>
            {view.org !== undefined && (
              <>
                <Switcher name={view.org.name} />
                <Search base={view.org.base} text={search} />
              </>
            )}
            {view.person !== undefined && <span class="where mono">{view.bucket}</span>}
            <Me view={view} isAlone={isAlone} />
          </header>
          {!isAlone && <Navigation view={view} />}
          {!isAlone && <PhoneNavigation view={view} />}
          <main id="content" tabindex={-1} class={isWide ? 'wide' : undefined}>
            {view.flash !== undefined && (
              <Notice kind={view.flash.kind}>
                <p>{view.flash.text}</p>
              </Notice>
            )}
            <InOrg view={view}>{children}</InOrg>
          </main>
        </div>
        {!isAlone && <Keys places={view.navigation.flat()} />}
      </body>
    </html>
  )
}

function Search({ base, text }: { readonly base: string; readonly text: string }) {
  return (
    <search class="search">
      <form action={`${base}/search`}>
        <input
          type="search"
          name="q"
          value={text}
          placeholder="Search units, outputs, teams"
          aria-label="Search"
          autocomplete="off"
          data-search
          hx-get={`${base}/search?part=suggestions`}
          hx-trigger="input changed delay:150ms"
          hx-target="#suggestions"
          hx-swap="innerHTML"
          hx-sync="this:replace"
        />
        <kbd aria-hidden="true">/</kbd>
        <div id="suggestions" class="menu" aria-live="polite"></div>
      </form>
    </search>
  )
}

/** Who I am, and what belongs to me rather than to the estate. It opens without JavaScript. */
function Me({ view, isAlone }: { readonly view: View; readonly isAlone: boolean }) {
  const { person } = view
  return (
    <details class="me">
      <summary>
        {person === undefined ? (
          <span>Appearance</span>
        ) : (
          <>
            <span class="name">{person}</span>
            <span class="avatar" aria-hidden="true">
              {initialsOf(person)}
            </span>
          </>
        )}
      </summary>
      <div class="menu">
        {view.hasSession && (
          <>
            <p class="muted">Signed in as {person}</p>
            <a href="/account/tokens">Your tokens</a>
            <a href="/account/sessions">Your sessions</a>
          </>
        )}
        {view.isAdministrator && <a href="/server">Server</a>}
        {view.canSignOut && (
          <Form view={view} action="/sign-out">
            <button class="plain" type="submit">
              Sign out
            </button>
          </Form>
        )}
        {!isAlone && (
          <button class="plain scripted" type="button" data-shows-keys>
            Shortcuts
          </button>
        )}
        <ThemeChoice view={view} />
      </div>
    </details>
  )
}

const THEME_LABELS: Readonly<Record<Theme, string>> = { auto: 'System', light: 'Light', dark: 'Dark' }

function ThemeChoice({ view }: { readonly view: View }) {
  return (
    <Form view={view} action="/theme">
      <input type="hidden" name="return_to" value={view.path} />
      <fieldset class="theme">
        <legend>Theme</legend>
        {THEMES.map((theme) => (
          <button
            class="button small"
            type="submit"
            name="theme"
            value={theme}
            aria-pressed={view.theme === theme ? 'true' : 'false'}
          >
            {THEME_LABELS[theme]}
          </button>
        ))}
      </fieldset>
    </Form>
  )
}

interface FormProps {
  readonly view: View
  readonly action: string
  readonly class?: string
  /** True: sent twice, it does what it does once. For forms that create something. */
  readonly isOnce?: boolean
  readonly children?: Child
}

/** Every form of a page is one of these: it carries the CSRF token. */
export function Form({ view, action, class: className, isOnce = false, children }: FormProps) {
  return (
    <form method="post" action={action} class={className}>
      <input type="hidden" name="csrf" value={view.csrf} />
      {isOnce && <input type="hidden" name="once" value={randomUUID()} />}
      {children}
    </form>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => word.slice(0, 1)) : [name.slice(0, 2)]
  return letters.join('').toUpperCase()
}

function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
      <path d="M2 17a10 10 0 0 1 20 0z" stroke-width="2" stroke-linejoin="round" />
      <path d="M9 13h6" />
      <circle cx="9" cy="13" r="1.5" fill="currentColor" stroke="none" />
      <circle cx="15" cy="13" r="1.5" fill="currentColor" stroke="none" />
    </svg>
  )
}
