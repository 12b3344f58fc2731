import { expect, test } from 'vitest'
import { childEnv } from './child-env.ts'

test('a child finds no token of the control plane, under whatever name', () => {
  const env = {
    PATH: '/bin',
    TACO_SERVER: 'http://taco',
    TACO_TOKEN: 'strong',
    TACO_TOKEN_FILE: '/secret',
    TACO_ROOT_TOKEN: 'root',
    TACO_SECRET_KEY: 'k1:MSMjMdslQcvW1th2tLvjH05QEE5zevrSMjMdslQcvW8=',
    CI_KEY: 'MSMjMdslQcvW1th2tLvjH05QEE5zevrSMjMdslQcvW8=',
    CI_STAGE: 'k1',
    TACO_SECRET_KEY_FILE: '/keys',
    TACO_SECRET_KEY_COMMAND: 'kms decrypt',
    CI_TACO: 'strong',
    CI_ROOT: 'root',
    CI_FILE: 'from-file',
    TF_HTTP_PASSWORD: 'old',
    EMPTY: '',
    UNSET: undefined,
  }

  expect(childEnv(env, 'from-file')).toEqual({
    PATH: '/bin',
    TACO_SERVER: 'http://taco',
    CI_STAGE: 'k1',
    EMPTY: '',
  })
})

test('nor a variable that holds the token within something else', () => {
  const token = 'SMjMdslQcvW1/th2tLvjH05Q+EE5zevr'
  const env = {
    PATH: '/bin',
    HEADER: `Authorization: Bearer ${token}`,
    TF_CLI_ARGS_init: `-backend-config=password=${token}`,
    URL: `http://taco:${encodeURIComponent(token)}@taco.example`,
    BASIC: `Authorization: Basic ${Buffer.from(`somebody:${token}`).toString('base64')}`,
    LINE: `${token}\n`,
    UNRELATED: Buffer.from('some other text, long enough to look at').toString('base64'),
  }

  expect(Object.keys(childEnv(env, token))).toEqual(['PATH', 'UNRELATED'])
})
