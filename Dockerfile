# syntax=docker/dockerfile:1
# Built once with everything, shipped with next to nothing: Node and two folders; no shell, no npm, no root.

FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node tools/build.mjs && mkdir -p /out/data && cp -r bin dist package.json LICENSE /out/

FROM gcr.io/distroless/nodejs24-debian12:nonroot
COPY --from=build /out/bin /app/bin
COPY --from=build /out/dist /app/dist
COPY --from=build /out/package.json /out/LICENSE /app/
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
ENV NODE_ENV=production \
    TACO_BUCKET=file:///data \
    TACO_LISTEN=0.0.0.0:8226 \
    TACO_AUTH=token
VOLUME /data
EXPOSE 8226
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:8226/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/taco"]
CMD ["serve"]
