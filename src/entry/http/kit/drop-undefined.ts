export { defined } from '../../../base/defined.ts'
