package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	tfe "github.com/hashicorp/go-tfe"
)

func variables(w *walk) {
	ws := w.workspace()
	terraform, env := tfe.CategoryTerraform, tfe.CategoryEnv
	made, err := w.client.Variables.Create(w.ctx, ws.ID, tfe.VariableCreateOptions{
		Key: tfe.String("zone"), Value: tfe.String("a"), Category: &terraform, Description: tfe.String("where"), HCL: tfe.Bool(false),
	})
	w.must("create", err)
	read, err := w.client.Variables.Read(w.ctx, ws.ID, made.ID)
	w.must("read", err)
	w.is("has its value", read.Value == "a" && read.Key == "zone" && read.Category == terraform, read)
	w.is("belongs to the workspace", read.Workspace != nil && read.Workspace.ID == ws.ID, read.Workspace)
	changed, err := w.client.Variables.Update(w.ctx, ws.ID, made.ID, tfe.VariableUpdateOptions{Value: tfe.String("b")})
	w.must("update", err)
	w.is("keeps the update", changed.Value == "b" && changed.Description == "where", changed)
	secret, err := w.client.Variables.Create(w.ctx, ws.ID, tfe.VariableCreateOptions{
		Key: tfe.String("TOKEN"), Value: tfe.String("s3cret"), Category: &env, Sensitive: tfe.Bool(true),
	})
	w.must("create a sensitive one", err)
	w.is("keeps its value back", secret.Value == "" && secret.Sensitive, secret)
	_, err = w.client.Variables.Create(w.ctx, ws.ID, tfe.VariableCreateOptions{Key: tfe.String("zone"), Category: &terraform})
	w.is("a key is given once", err != nil, err)
	list, err := w.client.Variables.List(w.ctx, ws.ID, nil)
	w.must("list", err)
	w.is("has both", len(list.Items) == 2, list.Items)
	all, err := w.client.Variables.ListAll(w.ctx, ws.ID, nil)
	w.must("list all", err)
	w.is("has at least both", len(all.Items) >= 2, all.Items)
	w.did("delete", w.client.Variables.Delete(w.ctx, ws.ID, made.ID))
	_, err = w.client.Variables.Read(w.ctx, ws.ID, made.ID)
	w.gone("is gone", err)
}

func (w *walk) variableSet() *tfe.VariableSet {
	made, err := w.client.VariableSets.Create(w.ctx, w.org, &tfe.VariableSetCreateOptions{
		Name: tfe.String(fresh("set")), Description: tfe.String("first"), Global: tfe.Bool(false),
	})
	w.must("create", err)
	return made
}

func variableSets(w *walk) {
	ws, project := w.workspace(), w.project()
	made, _, _ := w.variableSet(), w.variableSet(), w.variableSet()
	changed, err := w.client.VariableSets.Update(w.ctx, made.ID, &tfe.VariableSetUpdateOptions{
		Description: tfe.String("second"), Priority: tfe.Bool(true),
	})
	w.must("update", err)
	w.is("keeps the update", changed.Description == "second" && changed.Priority && changed.Name == made.Name, changed)
	w.did("apply to a workspace", w.client.VariableSets.ApplyToWorkspaces(w.ctx, made.ID, &tfe.VariableSetApplyToWorkspacesOptions{
		Workspaces: []*tfe.Workspace{ws},
	}))
	w.did("apply to a project", w.client.VariableSets.ApplyToProjects(w.ctx, made.ID, tfe.VariableSetApplyToProjectsOptions{
		Projects: []*tfe.Project{project},
	}))
	include := []tfe.VariableSetIncludeOpt{tfe.VariableSetWorkspaces, tfe.VariableSetProjects, tfe.VariableSetVars}
	read, err := w.client.VariableSets.Read(w.ctx, made.ID, &tfe.VariableSetReadOptions{Include: &include})
	w.must("read", err)
	w.is("says where it applies", len(read.Workspaces) == 1 && len(read.Projects) == 1, read)
	ofWorkspace, err := w.client.VariableSets.ListForWorkspace(w.ctx, ws.ID, nil)
	w.must("list for a workspace", err)
	w.is("has it", len(ofWorkspace.Items) == 1, ofWorkspace.Items)
	ofProject, err := w.client.VariableSets.ListForProject(w.ctx, project.ID, nil)
	w.must("list for a project", err)
	w.is("has it too", len(ofProject.Items) == 1, ofProject.Items)
	w.pages("list", 3, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.VariableSets.List(w.ctx, w.org, &tfe.VariableSetListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	w.did("remove from the workspace", w.client.VariableSets.RemoveFromWorkspaces(w.ctx, made.ID, &tfe.VariableSetRemoveFromWorkspacesOptions{
		Workspaces: []*tfe.Workspace{ws},
	}))
	w.did("remove from the project", w.client.VariableSets.RemoveFromProjects(w.ctx, made.ID, tfe.VariableSetRemoveFromProjectsOptions{
		Projects: []*tfe.Project{project},
	}))
	replaced, err := w.client.VariableSets.UpdateWorkspaces(w.ctx, made.ID, &tfe.VariableSetUpdateWorkspacesOptions{
		Workspaces: []*tfe.Workspace{ws},
	})
	w.must("replace the workspaces", err)
	w.is("has the workspace", len(replaced.Workspaces) == 1, replaced.Workspaces)
	w.did("delete", w.client.VariableSets.Delete(w.ctx, made.ID))
	_, err = w.client.VariableSets.Read(w.ctx, made.ID, nil)
	w.gone("is gone", err)
}

func variableSetVariables(w *walk) {
	set := w.variableSet()
	env := tfe.CategoryEnv
	made, err := w.client.VariableSetVariables.Create(w.ctx, set.ID, &tfe.VariableSetVariableCreateOptions{
		Key: tfe.String("REGION"), Value: tfe.String("eu"), Category: &env,
	})
	w.must("create", err)
	changed, err := w.client.VariableSetVariables.Update(w.ctx, set.ID, made.ID, &tfe.VariableSetVariableUpdateOptions{Value: tfe.String("us")})
	w.must("update", err)
	w.is("keeps the update", changed.Value == "us" && changed.Key == "REGION", changed)
	_, err = w.client.VariableSetVariables.Read(w.ctx, set.ID, made.ID)
	w.did("read", err)
	list, err := w.client.VariableSetVariables.List(w.ctx, set.ID, nil)
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	w.did("delete", w.client.VariableSetVariables.Delete(w.ctx, set.ID, made.ID))
	_, err = w.client.VariableSetVariables.Read(w.ctx, set.ID, made.ID)
	w.gone("is gone", err)
}

func (w *walk) policy() *tfe.Policy {
	level := tfe.EnforcementAdvisory
	made, err := w.client.Policies.Create(w.ctx, w.org, tfe.PolicyCreateOptions{
		Name: tfe.String(fresh("policy")), Kind: tfe.OPA, Query: tfe.String("data.taco.deny"), EnforcementLevel: &level,
	})
	w.must("create", err)
	return made
}

func policies(w *walk) {
	made, _, _ := w.policy(), w.policy(), w.policy()
	read, err := w.client.Policies.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("has its settings", read.Kind == tfe.OPA && read.EnforcementLevel == tfe.EnforcementAdvisory, read)
	changed, err := w.client.Policies.Update(w.ctx, made.ID, tfe.PolicyUpdateOptions{Description: tfe.String("second")})
	w.must("update", err)
	w.is("keeps the update", changed.Description == "second", changed)
	w.must("upload", w.client.Policies.Upload(w.ctx, made.ID, []byte("package taco\n")))
	content, err := w.client.Policies.Download(w.ctx, made.ID)
	w.must("download", err)
	w.is("gives the very bytes", string(content) == "package taco\n", string(content))
	w.pages("list", 3, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.Policies.List(w.ctx, w.org, &tfe.PolicyListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	w.did("delete", w.client.Policies.Delete(w.ctx, made.ID))
	_, err = w.client.Policies.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func (w *walk) policySet() *tfe.PolicySet {
	made, err := w.client.PolicySets.Create(w.ctx, w.org, tfe.PolicySetCreateOptions{
		Name: tfe.String(fresh("set")), Kind: tfe.OPA, Description: tfe.String("first"),
	})
	w.must("create", err)
	return made
}

func policySets(w *walk) {
	ws, project, policy := w.workspace(), w.project(), w.policy()
	made, _ := w.policySet(), w.policySet()
	changed, err := w.client.PolicySets.Update(w.ctx, made.ID, tfe.PolicySetUpdateOptions{Description: tfe.String("second")})
	w.must("update", err)
	w.is("keeps the update", changed.Description == "second", changed)
	w.did("add a policy", w.client.PolicySets.AddPolicies(w.ctx, made.ID, tfe.PolicySetAddPoliciesOptions{Policies: []*tfe.Policy{policy}}))
	w.did("add a workspace", w.client.PolicySets.AddWorkspaces(w.ctx, made.ID, tfe.PolicySetAddWorkspacesOptions{Workspaces: []*tfe.Workspace{ws}}))
	w.did("add a project", w.client.PolicySets.AddProjects(w.ctx, made.ID, tfe.PolicySetAddProjectsOptions{Projects: []*tfe.Project{project}}))
	w.did("exclude a workspace", w.client.PolicySets.AddWorkspaceExclusions(w.ctx, made.ID, tfe.PolicySetAddWorkspaceExclusionsOptions{WorkspaceExclusions: []*tfe.Workspace{ws}}))
	read, err := w.client.PolicySets.ReadWithOptions(w.ctx, made.ID, &tfe.PolicySetReadOptions{
		Include: []tfe.PolicySetIncludeOpt{tfe.PolicySetPolicies, tfe.PolicySetWorkspaces},
	})
	w.must("read", err)
	w.is("has its relations", len(read.Policies) == 1 && len(read.Workspaces) == 1 && len(read.Projects) == 1 && len(read.WorkspaceExclusions) == 1, read)
	w.did("remove the policy", w.client.PolicySets.RemovePolicies(w.ctx, made.ID, tfe.PolicySetRemovePoliciesOptions{Policies: []*tfe.Policy{policy}}))
	w.did("remove the workspace", w.client.PolicySets.RemoveWorkspaces(w.ctx, made.ID, tfe.PolicySetRemoveWorkspacesOptions{Workspaces: []*tfe.Workspace{ws}}))
	w.did("remove the project", w.client.PolicySets.RemoveProjects(w.ctx, made.ID, tfe.PolicySetRemoveProjectsOptions{Projects: []*tfe.Project{project}}))
	w.did("include the workspace again", w.client.PolicySets.RemoveWorkspaceExclusions(w.ctx, made.ID, tfe.PolicySetRemoveWorkspaceExclusionsOptions{WorkspaceExclusions: []*tfe.Workspace{ws}}))
	w.pages("list", 2, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.PolicySets.List(w.ctx, w.org, &tfe.PolicySetListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	w.did("delete", w.client.PolicySets.Delete(w.ctx, made.ID))
	_, err = w.client.PolicySets.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func policySetParameters(w *walk) {
	set := w.policySet()
	category := tfe.CategoryPolicySet
	made, err := w.client.PolicySetParameters.Create(w.ctx, set.ID, tfe.PolicySetParameterCreateOptions{
		Key: tfe.String("limit"), Value: tfe.String("1"), Category: &category,
	})
	w.must("create", err)
	changed, err := w.client.PolicySetParameters.Update(w.ctx, set.ID, made.ID, tfe.PolicySetParameterUpdateOptions{Value: tfe.String("2")})
	w.must("update", err)
	w.is("keeps the update", changed.Value == "2", changed)
	_, err = w.client.PolicySetParameters.Read(w.ctx, set.ID, made.ID)
	w.did("read", err)
	list, err := w.client.PolicySetParameters.List(w.ctx, set.ID, nil)
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	w.did("delete", w.client.PolicySetParameters.Delete(w.ctx, set.ID, made.ID))
	_, err = w.client.PolicySetParameters.Read(w.ctx, set.ID, made.ID)
	w.gone("is gone", err)
}

// folder makes one with a file in it, to be uploaded.
func (w *walk) folder(name string, content string) string {
	folder, err := os.MkdirTemp("", "walk")
	w.must("a folder to upload", err)
	w.must("a file in it", os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	return folder
}

func policySetVersions(w *walk) {
	set := w.policySet()
	made, err := w.client.PolicySetVersions.Create(w.ctx, set.ID)
	w.must("create", err)
	w.is("waits for its content", made.Status == tfe.PolicySetVersionPending, made)
	folder := w.folder("policies.hcl", "policy \"a\" {}\n")
	defer os.RemoveAll(folder)
	w.must("upload", w.client.PolicySetVersions.Upload(w.ctx, *made, folder))
	read, err := w.client.PolicySetVersions.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("is ready", read.Status == tfe.PolicySetVersionReady, read)
}

func (w *walk) runTask() *tfe.RunTask {
	made, err := w.client.RunTasks.Create(w.ctx, w.org, tfe.RunTaskCreateOptions{
		Name: fresh("task"), URL: w.hook, Category: "task", HMACKey: tfe.String("secret"), Enabled: tfe.Bool(true),
	})
	w.must("create", err)
	return made
}

func runTasks(w *walk) {
	made, _ := w.runTask(), w.runTask()
	read, err := w.client.RunTasks.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("has its address and keeps its key back", read.URL == w.hook && (read.HMACKey == nil || *read.HMACKey == ""), read)
	changed, err := w.client.RunTasks.Update(w.ctx, made.ID, tfe.RunTaskUpdateOptions{Description: tfe.String("second")})
	w.must("update", err)
	w.is("keeps the update", changed.Description == "second" && changed.Name == made.Name, changed)
	w.pages("list", 2, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.RunTasks.List(w.ctx, w.org, &tfe.RunTaskListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	w.did("delete", w.client.RunTasks.Delete(w.ctx, made.ID))
	_, err = w.client.RunTasks.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func workspaceRunTasks(w *walk) {
	ws, task := w.workspace(), w.runTask()
	made, err := w.client.WorkspaceRunTasks.Create(w.ctx, ws.ID, tfe.WorkspaceRunTaskCreateOptions{
		EnforcementLevel: tfe.Advisory, RunTask: task,
	})
	w.must("create", err)
	read, err := w.client.WorkspaceRunTasks.Read(w.ctx, ws.ID, made.ID)
	w.must("read", err)
	w.is("is about both", read.RunTask.ID == task.ID && read.Workspace.ID == ws.ID, read)
	changed, err := w.client.WorkspaceRunTasks.Update(w.ctx, ws.ID, made.ID, tfe.WorkspaceRunTaskUpdateOptions{
		EnforcementLevel: tfe.Mandatory, Stages: &[]tfe.Stage{tfe.PrePlan, tfe.PostPlan},
	})
	w.must("update", err)
	w.is("keeps the update", changed.EnforcementLevel == tfe.Mandatory && len(changed.Stages) == 2, changed)
	list, err := w.client.WorkspaceRunTasks.List(w.ctx, ws.ID, nil)
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	w.did("delete", w.client.WorkspaceRunTasks.Delete(w.ctx, ws.ID, made.ID))
	_, err = w.client.WorkspaceRunTasks.Read(w.ctx, ws.ID, made.ID)
	w.gone("is gone", err)
}

func (w *walk) oauthClient() *tfe.OAuthClient {
	provider := tfe.ServiceProviderGithub
	made, err := w.client.OAuthClients.Create(w.ctx, w.org, tfe.OAuthClientCreateOptions{
		Name: tfe.String(fresh("hub")), APIURL: tfe.String("https://api.github.com"), HTTPURL: tfe.String("https://github.com"),
		OAuthToken: tfe.String("ghp_secret"), ServiceProvider: &provider,
	})
	w.must("create", err)
	return made
}

func oauthClients(w *walk) {
	made, project := w.oauthClient(), w.project()
	w.is("has a token", len(made.OAuthTokens) == 1, made)
	read, err := w.client.OAuthClients.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("belongs to the organization", read.Organization.Name == w.org, read)
	changed, err := w.client.OAuthClients.Update(w.ctx, made.ID, tfe.OAuthClientUpdateOptions{OrganizationScoped: tfe.Bool(false)})
	w.must("update", err)
	w.is("keeps the update", changed.OrganizationScoped != nil && !*changed.OrganizationScoped, changed)
	w.did("add a project", w.client.OAuthClients.AddProjects(w.ctx, made.ID, tfe.OAuthClientAddProjectsOptions{Projects: []*tfe.Project{project}}))
	w.did("remove the project", w.client.OAuthClients.RemoveProjects(w.ctx, made.ID, tfe.OAuthClientRemoveProjectsOptions{Projects: []*tfe.Project{project}}))
	list, err := w.client.OAuthClients.List(w.ctx, w.org, nil)
	w.must("list", err)
	w.is("has it", len(list.Items) >= 1, list.Items)
	w.did("delete", w.client.OAuthClients.Delete(w.ctx, made.ID))
	_, err = w.client.OAuthClients.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func oauthTokens(w *walk) {
	made := w.oauthClient()
	list, err := w.client.OAuthTokens.List(w.ctx, w.org, nil)
	w.must("list", err)
	w.is("has one", len(list.Items) >= 1, list.Items)
	id := made.OAuthTokens[0].ID
	_, err = w.client.OAuthTokens.Read(w.ctx, id)
	w.must("read", err)
	changed, err := w.client.OAuthTokens.Update(w.ctx, id, tfe.OAuthTokenUpdateOptions{PrivateSSHKey: tfe.String("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n")})
	w.must("update", err)
	w.is("has a key", changed.HasSSHKey, changed)
	w.did("delete", w.client.OAuthTokens.Delete(w.ctx, id))
	_, err = w.client.OAuthTokens.Read(w.ctx, id)
	w.gone("is gone", err)
}

func configurationVersions(w *walk) {
	ws := w.workspace()
	made, err := w.client.ConfigurationVersions.Create(w.ctx, ws.ID, tfe.ConfigurationVersionCreateOptions{
		AutoQueueRuns: tfe.Bool(false), Speculative: tfe.Bool(true),
	})
	w.must("create", err)
	w.is("waits for its content", made.Status == tfe.ConfigurationPending && made.UploadURL != "" && made.Speculative, made)
	folder := w.folder("main.tf", "output \"a\" { value = 1 }\n")
	defer os.RemoveAll(folder)
	w.must("upload", w.client.ConfigurationVersions.Upload(w.ctx, made.UploadURL, folder))
	read, err := w.client.ConfigurationVersions.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("is uploaded", read.Status == tfe.ConfigurationUploaded, read)
	content, err := w.client.ConfigurationVersions.Download(w.ctx, made.ID)
	w.must("download", err)
	w.is("gives an archive", len(content) > 20, len(content))
	list, err := w.client.ConfigurationVersions.List(w.ctx, ws.ID, nil)
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
}

func archive(name string, content string) []byte {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	pack := tar.NewWriter(zip)
	_ = pack.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))})
	_, _ = pack.Write([]byte(content))
	_ = pack.Close()
	_ = zip.Close()
	return out.Bytes()
}

func (w *walk) registryModule() (*tfe.RegistryModule, tfe.RegistryModuleID) {
	made, err := w.client.RegistryModules.Create(w.ctx, w.org, tfe.RegistryModuleCreateOptions{
		Name: tfe.String(fresh("vpc")), Provider: tfe.String("null"), RegistryName: tfe.PrivateRegistry,
	})
	w.must("create", err)
	return made, tfe.RegistryModuleID{
		Organization: w.org, Name: made.Name, Provider: made.Provider, Namespace: made.Namespace, RegistryName: made.RegistryName,
	}
}

func registryModules(w *walk) {
	_, id := w.registryModule()
	version, err := w.client.RegistryModules.CreateVersion(w.ctx, id, tfe.RegistryModuleCreateVersionOptions{Version: tfe.String("1.2.3")})
	w.must("create a version", err)
	link, ok := version.Links["upload"].(string)
	w.is("says where to upload", ok && link != "", version.Links)
	w.must("upload", w.client.RegistryModules.UploadTarGzip(w.ctx, link, bytes.NewReader(archive("main.tf", "output \"a\" { value = 1 }\n"))))
	read, err := w.client.RegistryModules.Read(w.ctx, id)
	w.must("read", err)
	w.is("is set up", read.Status == tfe.RegistryModuleStatusSetupComplete && len(read.VersionStatuses) == 1, read)
	_, err = w.client.RegistryModules.ReadVersion(w.ctx, id, "1.2.3")
	w.did("read a version", err)
	list, err := w.client.RegistryModules.List(w.ctx, w.org, nil)
	w.must("list", err)
	w.is("has it", len(list.Items) >= 1, list.Items)
	w.did("delete the version", w.client.RegistryModules.DeleteVersion(w.ctx, id, "1.2.3"))
	w.did("delete", w.client.RegistryModules.DeleteProvider(w.ctx, id))
	_, err = w.client.RegistryModules.Read(w.ctx, id)
	w.gone("is gone", err)
}

func registryNoCodeModules(w *walk) {
	module, _ := w.registryModule()
	made, err := w.client.RegistryNoCodeModules.Create(w.ctx, w.org, tfe.RegistryNoCodeModuleCreateOptions{
		RegistryModule: module, Enabled: tfe.Bool(true),
	})
	w.must("create", err)
	read, err := w.client.RegistryNoCodeModules.Read(w.ctx, made.ID, nil)
	w.must("read", err)
	w.is("is on", read.Enabled, read)
	changed, err := w.client.RegistryNoCodeModules.Update(w.ctx, made.ID, tfe.RegistryNoCodeModuleUpdateOptions{
		RegistryModule: module, Enabled: tfe.Bool(false),
	})
	w.must("update", err)
	w.is("keeps the update", !changed.Enabled, changed)
	w.did("delete", w.client.RegistryNoCodeModules.Delete(w.ctx, made.ID))
	_, err = w.client.RegistryNoCodeModules.Read(w.ctx, made.ID, nil)
	w.gone("is gone", err)
}

func (w *walk) registryProvider() tfe.RegistryProviderID {
	name := fresh("demo")
	_, err := w.client.RegistryProviders.Create(w.ctx, w.org, tfe.RegistryProviderCreateOptions{
		Name: name, Namespace: w.org, RegistryName: tfe.PrivateRegistry,
	})
	w.must("create", err)
	return tfe.RegistryProviderID{OrganizationName: w.org, RegistryName: tfe.PrivateRegistry, Namespace: w.org, Name: name}
}

func registryProviders(w *walk) {
	id := w.registryProvider()
	_, err := w.client.RegistryProviders.Read(w.ctx, id, nil)
	w.must("read", err)
	list, err := w.client.RegistryProviders.List(w.ctx, w.org, nil)
	w.must("list", err)
	w.is("has it", len(list.Items) >= 1, list.Items)
	w.did("delete", w.client.RegistryProviders.Delete(w.ctx, id))
	_, err = w.client.RegistryProviders.Read(w.ctx, id, nil)
	w.gone("is gone", err)
}

func registryProviderVersions(w *walk) {
	id := w.registryProvider()
	made, err := w.client.RegistryProviderVersions.Create(w.ctx, id, tfe.RegistryProviderVersionCreateOptions{
		Version: "1.0.0", KeyID: "32966F3FB5AC1129", Protocols: []string{"5.0"},
	})
	if err != nil {
		// The key must be known where signatures are checked.
		w.must("create", w.withKey(func() error {
			made, err = w.client.RegistryProviderVersions.Create(w.ctx, id, tfe.RegistryProviderVersionCreateOptions{
				Version: "1.0.0", KeyID: os.Getenv("WALK_GPG_KEY_ID"), Protocols: []string{"5.0"},
			})
			return err
		}))
	}
	versionID := tfe.RegistryProviderVersionID{RegistryProviderID: id, Version: "1.0.0"}
	_, err = w.client.RegistryProviderVersions.Read(w.ctx, versionID)
	w.did("read", err)
	w.is("says where to upload", made.Links["shasums-upload"] != nil, made.Links)
	list, err := w.client.RegistryProviderVersions.List(w.ctx, id, nil)
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	_, err = w.client.RegistryProviderPlatforms.Create(w.ctx, versionID, tfe.RegistryProviderPlatformCreateOptions{
		OS: "linux", Arch: "amd64", Shasum: fmt.Sprintf("%x", sha256.Sum256([]byte("zip"))), Filename: "terraform-provider-demo_1.0.0_linux_amd64.zip",
	})
	w.must("create a platform", err)
	platformID := tfe.RegistryProviderPlatformID{RegistryProviderVersionID: versionID, OS: "linux", Arch: "amd64"}
	_, err = w.client.RegistryProviderPlatforms.Read(w.ctx, platformID)
	w.did("read a platform", err)
	platforms, err := w.client.RegistryProviderPlatforms.List(w.ctx, versionID, nil)
	w.must("list platforms", err)
	w.is("has one platform", len(platforms.Items) == 1, platforms.Items)
	w.did("delete the platform", w.client.RegistryProviderPlatforms.Delete(w.ctx, platformID))
	w.did("delete", w.client.RegistryProviderVersions.Delete(w.ctx, versionID))
	_, err = w.client.RegistryProviderVersions.Read(w.ctx, versionID)
	w.gone("is gone", err)
}

func (w *walk) withKey(use func() error) error {
	key, err := w.client.GPGKeys.Create(w.ctx, tfe.PrivateRegistry, tfe.GPGKeyCreateOptions{
		Namespace: w.org, AsciiArmor: os.Getenv("WALK_GPG_KEY"),
	})
	if err != nil {
		return err
	}
	defer w.client.GPGKeys.Delete(w.ctx, tfe.GPGKeyID{RegistryName: tfe.PrivateRegistry, Namespace: w.org, KeyID: key.KeyID})
	return use()
}

func gpgKeys(w *walk) {
	made, err := w.client.GPGKeys.Create(w.ctx, tfe.PrivateRegistry, tfe.GPGKeyCreateOptions{
		Namespace: w.org, AsciiArmor: os.Getenv("WALK_GPG_KEY"),
	})
	w.must("create", err)
	w.is("has the id of the key", made.KeyID == os.Getenv("WALK_GPG_KEY_ID"), made)
	id := tfe.GPGKeyID{RegistryName: tfe.PrivateRegistry, Namespace: w.org, KeyID: made.KeyID}
	_, err = w.client.GPGKeys.Read(w.ctx, id)
	w.did("read", err)
	list, err := w.client.GPGKeys.ListPrivate(w.ctx, tfe.GPGKeyListOptions{Namespaces: []string{w.org}})
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	w.did("delete", w.client.GPGKeys.Delete(w.ctx, id))
	_, err = w.client.GPGKeys.Read(w.ctx, id)
	w.gone("is gone", err)
}
