export { newKeyText } from '../access/index.ts'
