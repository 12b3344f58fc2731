import { Card } from '../shell/parts.tsx'
import { Picture } from '../shell/picture.tsx'
import type { DrawnWalk } from './walk-picture.ts'

export function WalkCard({ walk, title }: { readonly walk: DrawnWalk; readonly title: string }) {
  return (
    <Card title={title}>
      <Picture of={walk.picture} label={title} />
      {walk.left > 0 && (
        <p class="muted">{walk.left.toLocaleString('en')} more units are only in the list below.</p>
      )}
    </Card>
  )
}
